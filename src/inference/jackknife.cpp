#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "inference/label_rows.hpp"
#include "inference/term_system.hpp"
#include "stkr/error.hpp"
#include "stkr/inference/inference.hpp"

namespace stkr {
namespace {

void check_coverage(double coverage, Index labels) {
  if (coverage > 0.0 && coverage <= largest_interval_coverage(labels) + 1e-12) return;
  throw ParameterError(fmt::format(
      "coverage {:g}; with {} labels left out it can be at most {:.4g}, and must be above 0",
      coverage, labels, std::floor(1e4 * largest_interval_coverage(labels)) / 1e4));
}

// The rank of the upper end among n ascending values, from 1; the lower end is the same from above.
Index upper_rank(double coverage, Index n) {
  const double exact = std::ceil(coverage * static_cast<double>(n + 1) - 1e-9);
  return std::clamp(static_cast<Index>(exact), Index{1}, n);
}

double upper_quantile(std::vector<double>& values, Index rank) {
  std::nth_element(values.begin(), values.begin() + (rank - 1), values.end());
  return values[static_cast<std::size_t>(rank - 1)];
}

// f_{-i}(x) for every sample and label, and what f_{-i} misses at x_i.
struct LeftOutFits {
  std::vector<Matrix> f;  // for each output: M × n
  Matrix residuals;       // n × C
  Vector constant;        // of the fit to all labels
};

template <class Samples>
LeftOutFits left_out_fits(const FittedSystem& system, const Samples& samples,
                          const Context& context) {
  check_system(system, "intervals");
  if (!std::holds_alternative<TargetDecision>(system.targets.decision)) {
    throw ValueError("intervals are for numbers; classes have prediction sets");
  }
  const Matrix& y = system.targets.y;
  const Index n = y.rows(), outputs = y.cols();
  LeftOutFits result;
  result.residuals = Matrix::Zero(n, outputs);
  result.constant = Vector::Zero(outputs);
  const LabelRows rows(system, samples);
  result.f.assign(static_cast<std::size_t>(outputs), Matrix::Zero(rows.count(), n));
  for_terms(system, context, [&](const TermSystem& term) {
    // Without a constant it centers Y, of which a label left out changes every row.
    if (!system.targets.constant &&
        std::holds_alternative<PoissonTransform>(term.action().transform().form())) {
      throw ValueError(
          "intervals: the Poisson transform needs a constant; fit one, or use another transform");
    }
    const Matrix k = rows(term);
    for (const TermRidge& ridge : term.ridges()) {
      const LinearSolution without = term.solve(ridge.beta, n - 1);
      const Matrix alpha = without.response * y;
      const Matrix misses = without.response.diagonal().cwiseInverse().asDiagonal() * alpha;
      // How f(x) depends on each y_i: k_s(x)ᵀ P + uᵀ.
      Matrix influence = k * without.response;
      influence.rowwise() += without.offset.transpose();
      result.residuals += ridge.weight * misses;
      result.constant += ridge.weight * y.transpose() * ridge.solution.offset;
      const Matrix f = influence * y;
      for (Index c = 0; c < outputs; ++c) {
        Matrix& all = result.f[static_cast<std::size_t>(c)];
        all -= ridge.weight * influence * misses.col(c).asDiagonal();
        all.colwise() += ridge.weight * f.col(c);
      }
    }
  });
  return result;
}

template <class Samples>
Intervals intervals(const FittedSystem& system, const Samples& samples, double coverage,
                    const Context& context) {
  const Index n = system.labels();
  check_coverage(coverage, n);
  const LeftOutFits fits = left_out_fits(system, samples, context);
  const auto& decision = std::get<TargetDecision>(system.targets.decision);
  const Index rank = upper_rank(coverage, n), count = fits.f.front().rows();
  Intervals result{Matrix(count, fits.residuals.cols()), Matrix(count, fits.residuals.cols())};
  std::vector<double> ends(static_cast<std::size_t>(n));
  for (Index c = 0; c < fits.residuals.cols(); ++c) {
    const Matrix& f = fits.f[static_cast<std::size_t>(c)];
    // Of the targets, which Y does not contain; f_{-i} has its own constant.
    const double mean = decision.mean[c] - fits.constant[c];
    for (Index i = 0; i < count; ++i) {
      for (const double sign : {1.0, -1.0}) {
        for (Index k = 0; k < n; ++k) {
          ends[k] = sign * f(i, k) + std::abs(fits.residuals(k, c));
        }
        (sign > 0 ? result.upper : result.lower)(i, c) = sign * upper_quantile(ends, rank) + mean;
      }
    }
  }
  return result;
}

}  // namespace

double largest_interval_coverage(Index labels) {
  return static_cast<double>(labels) / static_cast<double>(labels + 1);
}

Intervals jackknife_intervals(const FittedSystem& system, std::span<const Index> samples,
                              double coverage, const Context& context) {
  return intervals(system, samples, coverage, context);
}

Intervals jackknife_intervals(const FittedSystem& system, const NewSamples& samples,
                              double coverage, const Context& context) {
  return intervals(system, samples, coverage, context);
}

Intervals residual_intervals(ConstMatrixRef predictions, ConstMatrixRef residuals,
                             double coverage) {
  const Index n = residuals.rows();
  check_coverage(coverage, n);
  Intervals result{predictions, predictions};
  for (Index c = 0; c < predictions.cols(); ++c) {
    std::vector<double> sizes(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) sizes[static_cast<std::size_t>(i)] = std::abs(residuals(i, c));
    const double half = upper_quantile(sizes, upper_rank(coverage, n));
    result.lower.col(c).array() -= half;
    result.upper.col(c).array() += half;
  }
  return result;
}

}  // namespace stkr
