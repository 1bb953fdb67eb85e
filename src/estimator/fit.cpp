#include "stkr/estimator/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "stkr/error.hpp"

namespace stkr {
namespace {

void check_labeled_index(Index i, Index size) {
  if (i < 0 || i >= size) {
    throw ValueError(
        fmt::format("labeled index {} is out of range; expected 0 to {}", i, size - 1));
  }
}

// The largest |K| among some of the samples, or |S 1| if that is 0.
double sampled_scale(const GramOperator& gram) {
  constexpr Index kSome = 8;
  std::vector<Index> some;
  for (Index k = 0; k < std::min(kSome, gram.size()); ++k) {
    some.push_back(k * gram.size() / std::min(kSome, gram.size()));
  }
  const double largest = gram.block(some, some).cwiseAbs().maxCoeff();
  if (largest > 0.0 || std::isnan(largest)) return largest;
  Matrix most = Matrix::Zero(1, 1);
  const Matrix sums = product(gram, Matrix::Ones(gram.local_size(), 1));
  if (sums.size() > 0) most(0, 0) = sums.cwiseAbs().maxCoeff();
  largest_over(gram.shared_rows(), most);
  return most(0, 0);
}

}  // namespace

void check_scale(const GramOperator& gram) {
  constexpr double kSmallest = 1e-140, kLargest = 1e140;
  // Normalized kernels and kernels with a known largest value need no check.
  if (gram.size() == 0 || (gram.bounds().upper >= kSmallest && gram.bounds().upper <= kLargest)) {
    return;
  }
  const double largest = sampled_scale(gram);
  if (largest == 0.0 || (largest >= kSmallest && largest <= kLargest)) return;
  throw ValueError(fmt::format(
      "kernel values are about {:.1e}, and their squares {}; multiply the kernel, or the "
      "features, by a constant so that the largest value is about 1",
      largest, largest < 1.0 ? "underflow" : "overflow"));
}

void check_labeled(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y) {
  if (labeled.empty()) {
    throw ValueError("no labeled sample: label at least one sample (a few per class is usual)");
  }
  if (y.rows() != static_cast<Index>(labeled.size()) || y.cols() < 1) {
    throw ShapeError(fmt::format(
        "targets are {} x {} but {} samples are labeled; expected one row per labeled sample",
        y.rows(), y.cols(), labeled.size()));
  }
  std::unordered_set<Index> seen;
  for (std::size_t k = 0; k < labeled.size(); ++k) {
    const Index i = labeled[k];
    check_labeled_index(i, gram.size());
    if (!seen.insert(i).second) {
      throw ValueError(fmt::format("sample {} is listed as labeled twice", i));
    }
    if (!y.row(k).allFinite()) {
      throw ValueError(fmt::format("the target of labeled sample {} is not finite", i));
    }
  }
  check_scale(gram);
}

std::vector<Index> unlabeled_rows(const SharedRows* rows, Index size,
                                  std::span<const Index> labeled) {
  if (!rows) return unlabeled_samples(size, labeled);
  for (const Index i : labeled) check_labeled_index(i, size);
  return unlabeled_samples(rows->count(), local_samples(rows, labeled));
}

std::vector<Index> unlabeled_samples(Index size, std::span<const Index> labeled) {
  std::vector<char> is_labeled(size, 0);
  for (const Index i : labeled) {
    check_labeled_index(i, size);
    is_labeled[i] = 1;
  }
  std::vector<Index> rest;
  for (Index i = 0; i < size; ++i) {
    if (!is_labeled[i]) rest.push_back(i);
  }
  return rest;
}

}  // namespace stkr
