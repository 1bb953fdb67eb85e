#include "certainty.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "standard_streams.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/inference/inference.hpp"

namespace stkr::app {
namespace {

// The labels determine the scale of variances; from so few, hardly.
constexpr Index kFewestOfNumbers = 3;
constexpr Index kFew = 10;

constexpr Index kNumbersAtOnce = Index{1} << 25;

Matrix deviation_of(const Posterior& found) { return found.variance.cwiseMax(0.0).cwiseSqrt(); }

void scatter(const Matrix& from, std::span<const Index> rows, Matrix& to) {
  for (std::size_t k = 0; k < rows.size(); ++k) to.row(rows[k]) = from.row(static_cast<Index>(k));
}

}  // namespace

Certainty::Certainty(const FittedSystem& system, const Decision& decision, bool deviations,
                     std::optional<double> coverage, const Context& context)
    : system_(system),
      decision_(decision),
      deviations_(deviations),
      coverage_(coverage),
      context_(context) {
  check_system(system, "certainty");
  const Index labels = system.labels();
  const bool numbers = std::holds_alternative<TargetDecision>(decision);
  if (deviations && numbers && labels < kFewestOfNumbers) {
    throw ValueError(
        fmt::format("{} label{} cannot tell how uncertain numbers are; expected at least {}",
                    labels, labels == 1 ? "" : "s", kFewestOfNumbers));
  }
  if (deviations && labels < kFew) {
    warn(fmt::format(
        "the scale of the deviations comes from only {} labels: compare them with each other, and "
        "do not trust their size",
        labels));
  }
}

void Certainty::prepare(const std::vector<Index>& samples) {
  const Index outputs = system_.targets.y.cols();
  if (deviations_) {
    const Posterior found = posterior(system_, samples, {}, context_);
    relative_error_ = 0.5 * found.relative_error;
    known_.deviation = Matrix::Zero(system_.size(), outputs);
    scatter(deviation_of(found), samples, known_.deviation);
  }
  if (coverage_) {
    known_.lower = known_.upper = Matrix::Zero(system_.size(), outputs);
    const Index most = std::max<Index>(1, kNumbersAtOnce / (system_.labels() * outputs));
    for_batches(static_cast<Index>(samples.size()), most, [&](Index first, Index count) {
      const std::span<const Index> some = std::span(samples).subspan(
          static_cast<std::size_t>(first), static_cast<std::size_t>(count));
      const Intervals found = jackknife_intervals(system_, some, *coverage_, context_);
      scatter(found.lower, some, known_.lower);
      scatter(found.upper, some, known_.upper);
    });
  }
}

CertaintyRows Certainty::of_known(Index first, const Matrix& scores) const {
  const auto part = [&](const Matrix& all) -> Matrix {
    return all.size() == 0 ? Matrix() : Matrix(all.middleRows(first, scores.rows()));
  };
  return in_units_of(scores, {part(known_.deviation), part(known_.lower), part(known_.upper)});
}

Matrix Certainty::new_deviations(const NewSamples& samples) {
  PosteriorOptions options;
  if (!estimates_ && system_.size() > options.exact_size &&
      samples.count() > options.exact_samples) {
    estimates_.emplace(system_, options, context_);
  }
  if (estimates_) {
    const Posterior found = (*estimates_)(samples, context_);
    relative_error_ = std::max(relative_error_, 0.5 * found.relative_error);
    return deviation_of(found);
  }
  options.exact_samples = samples.count();
  Matrix result(samples.count(), system_.targets.y.cols());
  // Each takes a column of N numbers.
  for_batches(samples.count(), std::max<Index>(1, kNumbersAtOnce / system_.size()),
              [&](Index first, Index some) {
                result.middleRows(first, some) =
                    deviation_of(posterior(system_, samples.slice(first, some), options, context_));
              });
  return result;
}

CertaintyRows Certainty::of_new(const NewSamples& samples, const Matrix& scores) {
  const Index count = samples.count(), outputs = scores.cols();
  CertaintyRows result;
  if (deviations_) result.deviation = new_deviations(samples);
  if (coverage_) {
    result.lower.resize(count, outputs);
    result.upper.resize(count, outputs);
    for_batches(
        count, std::max<Index>(1, kNumbersAtOnce / system_.size()), [&](Index first, Index some) {
          const Intervals found =
              jackknife_intervals(system_, samples.slice(first, some), *coverage_, context_);
          result.lower.middleRows(first, some) = found.lower;
          result.upper.middleRows(first, some) = found.upper;
        });
  }
  return in_units_of(scores, std::move(result));
}

// Class sizes scale positive scores.
CertaintyRows Certainty::in_units_of(const Matrix& scores, CertaintyRows rows) const {
  const auto* classes = std::get_if<ClassDecision>(&decision_);
  if (!classes || rows.deviation.size() == 0) return rows;
  for (Index c = 0; c < classes->factors.size(); ++c) {
    rows.deviation.col(c) =
        (scores.col(c).array() > 0.0)
            .select(classes->factors[c] * rows.deviation.col(c), rows.deviation.col(c));
  }
  return rows;
}

}  // namespace stkr::app
