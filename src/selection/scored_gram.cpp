#include "selection/scored_gram.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "estimator/poisson_leading.hpp"
#include "estimator/ridge_path.hpp"
#include "selection/calibrated_score.hpp"
#include "selection/known_labels.hpp"
#include "selection/transformed_blocks.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

// Of the blocks: differences of scores and averages need no more digits.
constexpr double kTolerance = 1e-6;
// The scale of scores is an average over unlabeled samples: some of them are enough.
constexpr Index kEnoughUnlabeled = 256;

// The labels that are left out, and what is expected of them.
struct LeftOutLabels {
  std::vector<Index> rows;     // positions among the labeled
  std::vector<Index> classes;  // of these rows
  Vector shares;               // of the classes, smoothed by half a sample each
};

LeftOutLabels left_out_labels(const EncodedTargets& targets) {
  LeftOutLabels result;
  const Vector counts = targets.y.colwise().sum();
  for (Index i = 0; i < targets.y.rows(); ++i) {
    Index own = 0;
    targets.y.row(i).maxCoeff(&own);
    if (counts[own] < 1.5) continue;
    result.rows.push_back(i);
    result.classes.push_back(own);
  }
  const auto classes = static_cast<double>(counts.size());
  result.shares = (counts.array() + 0.5) / (counts.sum() + 0.5 * classes);
  return result;
}

bool are_classes(const EncodedTargets& targets) {
  return std::holds_alternative<ClassDecision>(targets.decision);
}

// Scores the ridges of one transform.
class BlockScore {
 public:
  BlockScore(const EncodedTargets& targets, std::vector<GridRidge> ridges)
      : targets_(targets), ridges_(std::move(ridges)) {
    if (are_classes(targets)) left_out_ = left_out_labels(targets);
  }

  // Linear in y, so that a column of ones gives the scores of centered classes.
  std::vector<ScoredPoint> operator()(const TransformedBlock& block) const {
    const Index n = targets_.y.rows(), outputs = targets_.y.cols();
    Matrix y(n, outputs + (are_classes(targets_) ? 1 : 0));
    y.leftCols(outputs) = targets_.y;
    if (are_classes(targets_)) y.col(outputs).setOnes();
    const RidgePath path(block.labeled, block.scored, y, block.ridge_options(targets_.constant));
    std::vector<ScoredPoint> result;
    for (const GridRidge& ridge : ridges_) {
      ScoredPoint one;
      one.point.family = block.family;
      one.point.parameter = block.parameter;
      one.point.ridge = ridge.ridge;
      one.point.beta = ridge.beta;
      // nβ is the same fraction of the diagonal with one label less.
      const double without = ridge.beta > 0.0 ? ridge.beta : ridge.beta_for(n - 1, path.unit());
      const RidgePath::LeftOut left_out = path.leave_one_out(without);
      one.left_out = (left_out.f + left_out.constant).leftCols(outputs);
      if (are_classes(targets_)) {
        const double beta = ridge.beta_for(n, path.unit());
        score_classes(left_out.f, block.scored.rows() > 0 ? path.predict(beta) : path.fitted(beta),
                      one);
        one.alpha = path.alpha(beta).leftCols(outputs);
      } else {
        score_numbers(left_out, one);
      }
      result.push_back(std::move(one));
    }
    return result;
  }

 private:
  // Scores of Y - 1πᵀ from those of [Y, 1].
  Matrix centered(const Matrix& f) const {
    const Index outputs = targets_.y.cols();
    return f.leftCols(outputs) - f.col(outputs) * targets_.y.colwise().mean();
  }

  void score_classes(const Matrix& left_out, const Matrix& others, ScoredPoint& one) const {
    const Matrix spread = centered(others);
    one.scale = std::sqrt(spread.squaredNorm() / static_cast<double>(spread.size()));
    one.score = calibrated_score(gather_rows(centered(left_out), left_out_.rows), left_out_.classes,
                                 left_out_.shares, one.scale)
                    .log_likelihood;
  }

  void score_numbers(const RidgePath::LeftOut& left_out, ScoredPoint& one) const {
    const Matrix residual = left_out.f + left_out.constant - targets_.y;
    for (Index c = 0; c < residual.cols(); ++c) {
      const double variance =
          (targets_.y.col(c).array() - targets_.y.col(c).mean()).square().mean();
      const double least = 1e-12 * std::max(variance, 1e-300);
      one.score -=
          0.5 * static_cast<double>(residual.rows()) *
          std::log(std::max(residual.col(c).squaredNorm() / static_cast<double>(residual.rows()),
                            least));
    }
  }

  const EncodedTargets& targets_;
  std::vector<GridRidge> ridges_;
  LeftOutLabels left_out_;
};

}  // namespace

double ScoredGram::score() const {
  const double top = points[best()].score;
  double sum = 0.0;
  for (const ScoredPoint& point : points) sum += std::exp(point.score - top);
  return top + std::log(sum / static_cast<double>(points.size()));
}

std::size_t ScoredGram::best() const {
  return static_cast<std::size_t>(
      std::max_element(points.begin(), points.end(),
                       [](const auto& a, const auto& b) { return a.score < b.score; }) -
      points.begin());
}

bool can_leave_out(const EncodedTargets& targets) {
  if (!are_classes(targets)) return targets.y.rows() >= 4;
  const LeftOutLabels labels = left_out_labels(targets);
  if (labels.rows.size() < 4) return false;
  return std::any_of(labels.classes.begin(), labels.classes.end(),
                     [&](Index own) { return own != labels.classes.front(); });
}

std::vector<std::string> classes_with_one_label(const EncodedTargets& targets) {
  std::vector<std::string> names;
  const auto* classes = std::get_if<ClassDecision>(&targets.decision);
  for (Index c = 0; classes && c < targets.y.cols(); ++c) {
    if (targets.y.col(c).sum() == 1.0) names.push_back(classes->names[static_cast<std::size_t>(c)]);
  }
  return names;
}

ScoredGram score_gram(const GramOperator& gram, const EncodedTargets& targets, const Grid& grid,
                      double largest_eigenvalue, const Execution& execution,
                      const Context& context) {
  check_grid(grid);
  ScoredGram result;
  result.largest_eigenvalue = largest_eigenvalue;
  BlockOptions options;
  options.largest_eigenvalue = result.largest_eigenvalue;
  options.tolerance = kTolerance;
  options.block_bytes = execution.block_bytes;
  options.kept_groups = groups_of_equal_labels(gram.known_eigenspace(), targets.labeled, targets.y,
                                               gram.shared_rows());
  const KernelRows rows(gram, targets.labeled,
                        are_classes(targets)
                            ? some_unlabeled(gram.size(), targets.labeled, kEnoughUnlabeled)
                            : std::vector<Index>{});
  const BlockScore score(targets, grid_ridges(grid));
  std::mutex adding;
  std::vector<std::pair<std::pair<int, std::size_t>, std::vector<ScoredPoint>>> found;
  BlockSummary summary = transformed_blocks(
      gram, rows, grid,
      [&](std::size_t place, const TransformedBlock& block) {
        std::vector<ScoredPoint> points = score(block);
        const std::lock_guard lock(adding);
        found.emplace_back(std::pair(static_cast<int>(block.family), place), std::move(points));
      },
      options, context);
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [place, points] : found) {
    for (ScoredPoint& point : points) {
      if (std::isfinite(point.score)) result.points.push_back(std::move(point));
    }
  }
  result.warnings = std::move(summary.warnings);
  if (result.points.empty()) {
    throw ValueError(!summary.left_out.empty()  ? summary.left_out.front().reason
                     : !result.warnings.empty() ? result.warnings.front()
                                                : "no transform could be computed");
  }
  return result;
}

}  // namespace stkr
