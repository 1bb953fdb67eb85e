#include "explain/sample_curve.hpp"

#include <fmt/format.h>

#include "explain/closed_fit.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr Index kFewestUnlabeled = 40;  // unlabeled samples
constexpr Index kFewestLabels = 8;

Vector errors_with(const Dataset& dataset, const Specification& spec,
                   const SpectralTransform& transform, double largest, double ridge,
                   double variance, Index unlabeled, Index draws, const Context& context) {
  Vector sum;
  for (Index draw = 0; draw < draws; ++draw) {
    context.check_cancelled();
    const std::uint64_t seed = context.seed + 1000 + static_cast<std::uint64_t>(draw);
    const ExplainedProblem problem =
        problem_of(dataset, labeled_and_some(dataset, unlabeled, seed), spec, context);
    LabeledBlocks blocks = transformed_blocks_of(
        problem.gram, problem.targets, transform_for(*problem.gram, transform, largest, context),
        context.inner());
    const ClosedFit fit(std::move(blocks.g), problem.targets, ridge);
    const Vector errors = label_errors(fit.left_out(), problem.targets, variance);
    sum = draw == 0 ? errors : Vector(sum + errors);
  }
  return sum / static_cast<double>(draws);
}

}  // namespace

LearningCurve sample_curve(const Dataset& dataset, const Specification& spec,
                           const SpectralTransform& transform, double largest, double ridge,
                           const Vector& left_out, double variance,
                           const std::vector<Index>& scored, Index draws, const Context& context) {
  LearningCurve result;
  const Index labels = left_out.size(), unlabeled = dataset.size() - labels;
  if (labels < kFewestLabels || unlabeled < kFewestUnlabeled) {
    result.unknown =
        fmt::format("{} labels and {} unlabeled samples; a curve needs at least {} and {}", labels,
                    unlabeled, kFewestLabels, kFewestUnlabeled);
    return result;
  }
  std::vector<Index> amounts;
  std::vector<Vector> errors;
  for (const Index kept : {Index{0}, unlabeled / 4, unlabeled / 2}) {
    try {
      // Without unlabeled samples there is nothing to draw.
      errors.push_back(errors_with(dataset, spec, transform, largest, ridge, variance, kept,
                                   kept == 0 ? 1 : draws, context)(scored));
      amounts.push_back(labels + kept);
    } catch (const ValueError&) {
      // A kernel may not exist for so few samples; the curve starts later.
    }
  }
  if (amounts.empty() || amounts.back() != labels + unlabeled / 2) {
    result.unknown = "there is no such kernel of half of the unlabeled samples";
    return result;
  }
  amounts.push_back(labels + unlabeled);
  errors.push_back(left_out(scored));
  return learning_curve(amounts, errors, draws);
}

}  // namespace stkr
