#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "stkr/linop/matrix.hpp"

namespace stkr {

// Random numbers that are the same on every platform: std::mt19937_64 is specified bit for bit, the
// standard distributions are not, so these are our own and use only arithmetic that IEEE 754 fixes.
class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}

  double uniform();          // in [0, 1), a multiple of 2⁻⁵³
  Index below(Index count);  // in {0, ..., count-1}, each as likely
  double normal();           // mean 0, variance 1

  // How many failures precede the next success of probability p: what a loop over rare events may
  // skip. Takes log_of_failure(p), so that it is computed once.
  Index geometric(double log_failure);

  void shuffle(std::span<Index> values);

  // `count` different numbers of {0, ..., total-1}, ascending.
  std::vector<Index> sample(Index total, Index count);

 private:
  std::mt19937_64 bits_;
  double spare_ = 0.0;  // the polar method makes normal numbers in pairs
  bool has_spare_ = false;
};

// Accurate to a few units in the last place, and the same on every platform, unlike the standard
// library's. portable_log wants x > 0; portable_sine any x of moderate size.
double portable_log(double x);
double portable_sine(double x);
double portable_cosine(double x);

// ln(1 - p) for p in (0, 1], without losing a small p.
double log_of_failure(double p);

}  // namespace stkr
