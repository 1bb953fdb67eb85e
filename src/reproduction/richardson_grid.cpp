#include "reproduction/richardson_grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "estimator/ridge_path.hpp"
#include "runtime/parallel.hpp"
#include "selection/split_problem.hpp"
#include "solver/symmetric_eigen.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The iterates of Algorithm 2 for 1/s = 1/λ - η (r = 1) and several pairs (η, β), C columns each.
class InverseLaplacianIterates {
 public:
  struct Pair {
    double eta;
    double beta;
  };

  InverseLaplacianIterates(const GramOperator& gram, const std::vector<Index>& labeled,
                           ConstMatrixRef y, std::span<const Pair> pairs, double labeled_largest,
                           int threads)
      : gram_(gram), y_(y), label_row_(gram.size(), -1), threads_(threads) {
    const Index classes = y.cols();
    const auto n = static_cast<double>(y.rows());
    const Index columns = static_cast<Index>(pairs.size()) * classes;
    keep_.resize(columns);
    spread_.resize(columns);
    step_.resize(columns);
    // ρ(λ) = 1 - ηλ is largest at the lower end of the spectrum.
    const double lower = gram.bounds().lower;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const auto [eta, beta] = pairs[k];
      const double gamma = 1.0 / (labeled_largest + n * beta * (1.0 - eta * lower));
      for (Index c = 0; c < classes; ++c) {
        const Index column = static_cast<Index>(k) * classes + c;
        keep_[column] = 1.0 - gamma * n * beta;
        spread_[column] = gamma * n * beta * eta;
        step_[column] = gamma;
      }
    }
    for (std::size_t k = 0; k < labeled.size(); ++k) {
      label_row_[labeled[k]] = static_cast<Index>(k);
    }
    theta_ = Matrix::Zero(gram.size(), columns);
    s_theta_ = Matrix::Zero(gram.size(), columns);
  }

  // θ ← θ - γ(N Ĩ_n Sθ + nβ(θ - ηSθ) - ỹ), then Sθ.
  void advance() {
    const auto total = static_cast<double>(gram_.size());
    parallel_chunks(theta_.rows(), 256, threads_, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        auto theta = theta_.row(i).array();
        const auto s_theta = s_theta_.row(i).array();
        theta = keep_.transpose() * theta + spread_.transpose() * s_theta;
        if (label_row_[i] < 0) continue;
        theta -= total * step_.transpose() * s_theta;
        const auto y = y_.row(label_row_[i]).array();
        for (Index first = 0; first < theta.cols(); first += y_.cols()) {
          theta.segment(first, y_.cols()) += step_.transpose().segment(first, y_.cols()) * y;
        }
      }
    });
    gram_.apply(theta_, s_theta_);
  }

  const Matrix& theta() const { return theta_; }
  const Matrix& s_theta() const { return s_theta_; }

 private:
  const GramOperator& gram_;
  ConstMatrixRef y_;
  std::vector<Index> label_row_;  // index among the labeled samples, or -1
  int threads_;
  Eigen::ArrayXd keep_, spread_, step_;  // per column: 1 - γnβ, γnβη, γ
  Matrix theta_, s_theta_;
};

// Iterations on an indefinite system may overflow; such a point is set to zero.
Matrix finite_or_zero(Matrix f) {
  if (!f.allFinite()) f.setZero();
  return f;
}

FamilyCost power_points(const GramOperator& gram, const KernelRows& rows, ConstMatrixRef y,
                        const Grid& grid, const std::vector<int>& steps, const RichardsonSink& sink,
                        const BlockOptions& options, const Context& context,
                        std::vector<std::string>& warnings) {
  Grid powers;
  powers.powers = grid.powers;
  powers.etas.clear();
  powers.dimensions.clear();
  powers.betas = grid.betas;
  const auto n = static_cast<double>(y.rows());
  const auto start = Clock::now();
  BlockSummary summary = transformed_blocks(
      gram, rows, powers,
      [&](std::size_t parameter, const TransformedBlock& block) {
        const RidgePath path(block.labeled, block.scored, y);
        std::size_t place = parameter * grid.betas.size() * steps.size();
        for (const double beta : grid.betas) {
          const double gamma = 1.0 / (path.largest_eigenvalue() + n * beta);
          for (const int t : steps) {
            sink(place++, finite_or_zero(path.predict_richardson(beta, t, gamma)));
          }
        }
      },
      options, context);
  warnings.insert(warnings.end(), summary.warnings.begin(), summary.warnings.end());
  return {Family::power, seconds_since(start),
          summary.costs.empty() ? 0 : summary.costs.front().products};
}

FamilyCost inverse_laplacian_points(const GramOperator& gram, const KernelRows& rows,
                                    ConstMatrixRef y, const Grid& grid,
                                    const std::vector<int>& steps, std::size_t first_place,
                                    const RichardsonSink& sink, const BlockOptions& options,
                                    const Context& context) {
  const auto start = Clock::now();
  FamilyCost cost{Family::inverse_laplacian};
  const double labeled_largest =
      std::max(0.0, symmetric_eigen_top(gram.block(rows.labeled(), rows.labeled()), 1).values[0]);
  std::vector<InverseLaplacianIterates::Pair> pairs;
  for (const double eta : grid.etas) {
    for (const double beta : grid.betas) {
      pairs.push_back({eta / options.largest_eigenvalue, beta});
    }
  }
  const Index classes = y.cols();
  const std::size_t pair_bytes = 2 * sizeof(double) * static_cast<std::size_t>(gram.size()) *
                                 static_cast<std::size_t>(classes);
  const std::size_t batch =
      std::clamp<std::size_t>(options.block_bytes / pair_bytes, 1, pairs.size());
  const int last = *std::max_element(steps.begin(), steps.end());
  for (std::size_t first = 0; first < pairs.size(); first += batch) {
    const auto count = std::min(batch, pairs.size() - first);
    InverseLaplacianIterates iterates(gram, rows.labeled(), y,
                                      std::span(pairs).subspan(first, count), labeled_largest,
                                      context.threads);
    for (int t = 1; t <= last; ++t) {
      context.check_cancelled();
      iterates.advance();
      ++cost.products;
      const auto sampled = std::find(steps.begin(), steps.end(), t);
      if (sampled == steps.end()) continue;
      // f = K(x, ·) θ
      Matrix f = rows.apply(iterates.theta(), iterates.s_theta()).bottomRows(rows.scored());
      // New samples lack the self term of the kernel.
      for (std::size_t k = 0; k < count; ++k) {
        f.block(f.rows() - rows.fresh(), static_cast<Index>(k) * classes, rows.fresh(), classes) /=
            1.0 - pairs[first + k].eta * gram.self_term();
      }
      parallel_tasks(static_cast<Index>(count), context.threads, [&](Index k) {
        const std::size_t place = first_place + (first + k) * steps.size() +
                                  static_cast<std::size_t>(sampled - steps.begin());
        sink(place, finite_or_zero(f.middleCols(k * classes, classes)));
      });
    }
  }
  cost.seconds = seconds_since(start);
  return cost;
}

}  // namespace

std::vector<GridPoint> richardson_points(const Grid& grid, const std::vector<int>& steps) {
  std::vector<GridPoint> points;
  for (const Family family : {Family::power, Family::inverse_laplacian}) {
    for (const double parameter : family_parameters(grid, family)) {
      for (const double beta : grid.betas) {
        for (const int t : steps) points.push_back({family, parameter, beta, t});
      }
    }
  }
  return points;
}

BlockSummary richardson_predictions(const GramOperator& gram, const KernelRows& rows,
                                    ConstMatrixRef y, const Grid& grid,
                                    const std::vector<int>& steps, const RichardsonSink& sink,
                                    const BlockOptions& options, const Context& context) {
  BlockSummary summary;
  if (grid.betas.empty() || steps.empty()) return summary;
  if (!grid.powers.empty()) {
    summary.costs.push_back(
        power_points(gram, rows, y, grid, steps, sink, options, context, summary.warnings));
  }
  if (!grid.etas.empty()) {
    const std::size_t first = grid.powers.size() * grid.betas.size() * steps.size();
    summary.costs.push_back(
        inverse_laplacian_points(gram, rows, y, grid, steps, first, sink, options, context));
  }
  return summary;
}

Selection select_by_richardson(const Dataset& dataset, const Specification& spec,
                               const FourWaySplit& split, Setting setting,
                               const SelectOptions& options, const Context& context,
                               const std::vector<int>& steps) {
  const auto start = Clock::now();
  check_grid(options.grid);
  Selection selection;
  selection.score = options.score.value_or(Score::accuracy);
  check_score(selection.score, dataset.labels);
  const std::vector<std::string> missing = missing_classes(dataset.labels, split.train);
  if (!missing.empty()) {
    selection.warnings.push_back(fmt::format("no labeled sample of class {}: it is never predicted",
                                             fmt::join(missing, ", ")));
  }
  const SplitProblem problem(dataset, spec, options.execution, split, setting,
                             /*class_mass=*/false, context.inner());
  BlockOptions blocks;  // λ₁ = 1: the paper's graphs
  blocks.tolerance = options.tolerance;
  const std::vector<GridPoint> points = richardson_points(options.grid, steps);
  selection.scores.resize(points.size());
  BlockSummary summary = richardson_predictions(
      problem.gram(), problem.rows(), problem.targets().y, options.grid, steps,
      [&](std::size_t place, Matrix f) {
        selection.scores[place] =
            problem.score(points[place], problem.scores(Matrix(0, f.cols()), std::move(f)),
                          selection.score, options);
      },
      blocks, context);
  selection.costs = std::move(summary.costs);
  selection.warnings.insert(selection.warnings.end(), summary.warnings.begin(),
                            summary.warnings.end());
  selection.seconds = seconds_since(start);
  return selection;
}

}  // namespace stkr
