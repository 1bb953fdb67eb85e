#include "linop/shared_order.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>

namespace stkr {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kDigitBits = 8;
constexpr Index kDigits = Index{1} << kDigitBits;

// Integers in the order of the numbers.
std::uint64_t key_of(double number) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(number);
  return bits & kSign ? ~bits : bits | kSign;
}

double least_above(const std::vector<double>& own, double bound) {
  double least = kInfinity;
  for (const double number : own) {
    if (number > bound) least = std::min(least, number);
  }
  return least;
}

double number_here(std::vector<double>& own, Index place) {
  const auto at = own.begin() + place;
  std::nth_element(own.begin(), at, own.end());
  return *at;
}

// Digit by digit of the keys, from the first: eight sums of 256 counts, whatever the numbers.
double number_over(const SharedRows& rows, std::vector<double>& own, Index place) {
  std::span<double> left(own);  // the numbers that begin with the digits found so far
  auto before = static_cast<double>(place);
  std::uint64_t key = 0;
  for (int shift = 64 - kDigitBits; shift >= 0; shift -= kDigitBits) {
    const auto digit = [&](double number) {
      return static_cast<Index>(key_of(number) >> shift) & (kDigits - 1);
    };
    Matrix counts = Matrix::Zero(1, kDigits);
    for (const double number : left) counts(0, digit(number)) += 1.0;
    rows.sum(counts);
    Index chosen = 0;
    while (chosen + 1 < kDigits && before >= counts(0, chosen)) before -= counts(0, chosen++);
    key = key << kDigitBits | static_cast<std::uint64_t>(chosen);
    const auto end = std::partition(left.begin(), left.end(),
                                    [&](double number) { return digit(number) == chosen; });
    left = {left.begin(), end};
  }
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  return std::bit_cast<double>(key & kSign ? key ^ kSign : ~key);
}

}  // namespace

OrderedNumber number_at(const SharedRows* rows, std::vector<double>& own, Index place,
                        double apart) {
  const double found = rows ? number_over(*rows, own, place) : number_here(own, place);
  Matrix least = Matrix::Constant(1, 1, -least_above(own, found + apart));
  largest_over(rows, least);
  return {found, -least(0, 0)};
}

}  // namespace stkr
