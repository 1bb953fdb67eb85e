#include "explain/alternatives.hpp"

#include <numeric>

#include "explain/closed_fit.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/fit.hpp"

namespace stkr {
namespace {

Matrix left_out_of(const Dataset& points, const Specification& spec, const Context& context) {
  std::vector<Index> all(static_cast<std::size_t>(points.size()));
  std::iota(all.begin(), all.end(), Index{0});
  const ExplainedProblem problem = problem_of(points, all, spec, context);
  return ClosedFit(problem.gram->block(all, all), problem.targets, std::nullopt).left_out();
}

}  // namespace

Vector errors_of_labels_alone(const Dataset& dataset, const ExplainedProblem& problem,
                              double variance, const std::vector<Index>& scored,
                              const Context& context) {
  const EncodedTargets& targets = problem.targets;
  const ClosedFit own(problem.gram->block(targets.labeled, targets.labeled), targets, std::nullopt);
  Vector best = label_errors(own.left_out(), targets, variance);
  Dataset points = subset(dataset, targets.labeled);
  if (points.features) points.samples = *points.features;
  points.features.reset();
  if (points.kind() != DatasetKind::points) return best;
  for (const Kernel& kernel : {Kernel::rbf(1.0), Kernel::cosine()}) {
    try {
      Specification spec;
      spec.kernel = PointKernelSpec{.kernel = kernel};
      const Vector errors = label_errors(left_out_of(points, spec, context), targets, variance);
      if (errors(scored).mean() < best(scored).mean()) best = errors;
    } catch (const ValueError&) {
      // Some points have no such kernel: all equal, or zero.
    }
  }
  return best;
}

Matrix answers_without_fit(const EncodedTargets& targets) {
  const Index n = targets.y.rows();
  const Eigen::RowVectorXd sum = targets.y.colwise().sum();
  Matrix result(n, targets.y.cols());
  for (Index i = 0; i < n; ++i) {
    result.row(i) = sum;
    if (std::holds_alternative<TargetDecision>(targets.decision) && n > 1) {
      result.row(i) = (sum - targets.y.row(i)) / static_cast<double>(n - 1);
    }
  }
  return result;
}

std::optional<double> hidden_error(const Labels& truth, std::span<const Index> seen,
                                   const Matrix& f, const Vector& constant) {
  const auto* classes = std::get_if<ClassLabels>(&truth);
  if (!classes || f.rows() != sample_count(truth)) return std::nullopt;
  double wrong = 0.0, count = 0.0;
  for (const Index i : unlabeled_samples(f.rows(), seen)) {
    const std::int32_t code = classes->code[static_cast<std::size_t>(i)];
    if (code == kUnlabeled) continue;
    Eigen::RowVectorXd row = f.row(i), y = Eigen::RowVectorXd::Zero(f.cols());
    if (constant.size() > 0) row += constant.transpose();
    y[code] = 1.0;
    wrong += label_error(row, y, /*classes=*/true, 0.0);
    count += 1.0;
  }
  return count > 0.0 ? std::optional(wrong / count) : std::nullopt;
}

}  // namespace stkr
