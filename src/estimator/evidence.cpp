#include "estimator/evidence.hpp"

#include <algorithm>

#include "stkr/linop/shared_rows.hpp"

namespace stkr {
namespace {

bool all_set(const std::vector<char>& flags) {
  return std::all_of(flags.begin(), flags.end(), [](char flag) { return flag != 0; });
}

void join(std::vector<char>& flags, const std::vector<char>& others) {
  for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = flags[i] || others[i];
}

}  // namespace

ReachSteps reach_steps(const SpectralTransform& transform) {
  ReachSteps result;
  if (const auto pi = transform.polynomial_coefficients()) {
    for (std::size_t p = 0; p < pi->size(); ++p) {
      if ((*pi)[p] != 0.0) result.exactly.push_back(static_cast<int>(p) + 1);
    }
  }
  return result;
}

std::vector<char> Evidence::of_known(Index first, ConstMatrixRef f) const {
  std::vector<char> result(f.rows());
  for (Index i = 0; i < f.rows(); ++i) {
    const double largest = f.row(i).cwiseAbs().maxCoeff();
    result[i] =
        by_reach ? largest > floor && (reached.empty() || reached[first + i]) : largest > floor;
  }
  return result;
}

std::vector<char> Evidence::of_new(ConstMatrixRef f, ConstMatrixRef source_mass) const {
  std::vector<char> result(f.rows());
  for (Index i = 0; i < f.rows(); ++i) {
    const double largest = f.row(i).cwiseAbs().maxCoeff();
    result[i] = by_reach ? largest > floor && source_mass(i, 0) > 0.0 : largest > floor;
  }
  return result;
}

Matrix Evidence::source_column(Index size) const {
  if (!by_reach) return Matrix(size, 0);
  Matrix column = Matrix::Ones(size, 1);
  for (std::size_t i = 0; i < sources.size(); ++i) column(static_cast<Index>(i), 0) = sources[i];
  return column;
}

Evidence evidence_of(const GramOperator& gram, std::span<const Index> labeled,
                     const ReachSteps& steps, ConstMatrixRef fitted, const Matrix* first_step) {
  Evidence result;
  const SharedRows* rows = gram.shared_rows();
  if (!gram.nonnegative()) {
    result.floor = evidence_floor(gather_samples(rows, fitted, labeled));
    return result;
  }
  result.by_reach = true;
  std::vector<char> from(gram.local_size(), 0);
  for (const Index i : local_samples(rows, labeled)) from[i] = 1;
  // If one step already reaches every sample, so does every further step.
  if (first_step && all_over(rows, (first_step->array() > 0.0).all())) {
    if (steps.exactly == std::vector<int>{1}) result.sources = std::move(from);
    return result;
  }
  if (steps.exactly.empty()) {
    result.reached = gram.reached(from, 0);
    result.sources = result.reached;
    join(result.sources, from);
  } else {
    result.reached.assign(gram.local_size(), 0);
    result.sources.assign(gram.local_size(), 0);
    std::vector<char> now = std::move(from);
    int taken = 0;
    for (const int step : steps.exactly) {
      if (step - 1 > taken) now = gram.reached(now, step - 1 - taken);
      join(result.sources, now);
      now = gram.reached(now, 1);
      taken = step;
      join(result.reached, now);
    }
  }
  if (all_over(rows, all_set(result.reached))) result.reached.clear();
  if (all_over(rows, all_set(result.sources))) result.sources.clear();
  return result;
}

double evidence_floor(ConstMatrixRef f_labeled) {
  return f_labeled.size() > 0 ? 1e-10 * f_labeled.cwiseAbs().maxCoeff() : 0.0;
}

double floor_by_reach(bool eigenvectors, bool constant, double floor) {
  if (eigenvectors) return floor;
  // Also for the Poisson transform, whose f is 0 halfway between labels.
  return constant ? -1.0 : 0.0;
}

std::vector<char> evidence_of_rows(ConstMatrixRef kernel, std::span<const Index> labels,
                                   ConstMatrixRef f, bool exact_zeros, double floor,
                                   double reach_floor) {
  std::vector<char> result(f.rows());
  for (Index i = 0; i < f.rows(); ++i) {
    const double largest = f.row(i).cwiseAbs().maxCoeff();
    const auto reaches = [&](Index j) { return kernel(i, j) != 0.0; };
    result[i] = exact_zeros
                    ? largest > reach_floor && std::any_of(labels.begin(), labels.end(), reaches)
                    : largest > floor;
  }
  return result;
}

}  // namespace stkr
