#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "stkr/matrix.hpp"

namespace stkr {

// Random numbers that are the same on every platform. std::mt19937_64 is specified bit for bit but
// the standard distributions are not, so these use only arithmetic that IEEE 754 specifies exactly.
class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}

  double uniform();          // in [0, 1), a multiple of 2⁻⁵³
  Index below(Index count);  // uniform in {0, ..., count-1}
  double normal();           // mean 0, variance 1

  // The number of failures before the next success of probability p; loops over rare events skip
  // that many. Takes log_of_failure(p), so that the caller computes it once.
  Index geometric(double log_failure);

  void shuffle(std::span<Index> values);

  // `count` distinct numbers of {0, ..., total-1}, ascending.
  std::vector<Index> sample(Index total, Index count);

 private:
  std::mt19937_64 bits_;
  double spare_ = 0.0;  // the polar method generates normal numbers in pairs
  bool has_spare_ = false;
};

// Accurate to a few units in the last place and, unlike the standard library's functions, the same
// on every platform. portable_log requires x > 0; the others take any x of moderate size.
double portable_log(double x);
double portable_sine(double x);
double portable_cosine(double x);

// ln(1 - p) for p in (0, 1], accurate for small p.
double log_of_failure(double p);

}  // namespace stkr
