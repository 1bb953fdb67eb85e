#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "estimator/evidence.hpp"
#include "estimator/labeled_system.hpp"
#include "estimator/poisson_leading.hpp"
#include "estimator/ridge_path.hpp"
#include "estimator/ridge_unit.hpp"
#include "estimator/spectral_action.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/stkr.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

void check_terms(const GramOperator& gram, Index labels, const std::vector<AverageTerm>& terms,
                 const StkrOptions& options) {
  if (terms.empty()) throw ParameterError("average: no fits to average");
  for (const AverageTerm& term : terms) {
    if (term.parts.empty()) throw ParameterError("average: a transform without a ridge");
    for (const AverageTerm::Part& part : term.parts) {
      for (const auto& [name, value] : {std::pair("ridge", part.ridge), {"weight", part.weight}}) {
        if (value > 0.0 && std::isfinite(value)) continue;
        throw ParameterError(
            fmt::format("average: {} = {}; expected a positive number", name, value));
      }
    }
  }
  if (gram.root_weights() || options.label_weights.size() > 0) {
    throw ParameterError("averages do not support weights; choose one transform and one ridge");
  }
  if (labels > options.execution.most_direct) {
    throw ParameterError(fmt::format(
        "an average needs the {} x {} systems of the labeled samples, which are limited to {} "
        "labels; choose one transform and one ridge",
        labels, labels, options.execution.most_direct));
  }
}

bool is_poisson(const AverageTerm& term) {
  return std::holds_alternative<PoissonTransform>(term.transform.form());
}

// Σ weight·α and Σ weight·b over the ridges of a term.
struct Solved {
  Matrix alpha;
  Vector constant;
};

SpectralAction action_of(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
                         const AverageTerm& term, const StkrOptions& options,
                         const Context& context) {
  ActionOptions own;
  own.tolerance = inner_tolerance(options.tolerance);
  own.max_iterations = inner_iterations(options.max_iterations);
  own.dense_below = options.execution.factorize_below;
  own.kept_groups = groups_of_equal_labels(gram.known_eigenspace(), labeled, y, gram.shared_rows());
  return SpectralAction(gram, term.transform, std::move(own), context);
}

RidgePath path_of(const GramOperator& gram, const SpectralAction& action,
                  std::span<const Index> labeled, ConstMatrixRef y, const AverageTerm& term,
                  const StkrOptions& options) {
  const Matrix g = transformed_gram(gram, action, labeled, options.execution.block_bytes);
  RidgePathOptions how{.constant = options.constant};
  if (is_poisson(term)) {
    how.centered = !options.constant;
    how.label_weights =
        poisson_label_weights(*gram.known_eigenspace(), labeled, gram.shared_rows());
  }
  return RidgePath(g, Matrix(0, y.rows()), y, std::move(how));
}

Solved solve(const GramOperator& gram, const SpectralAction& action, std::span<const Index> labeled,
             ConstMatrixRef y, const AverageTerm& term, const StkrOptions& options) {
  const RidgePath path = path_of(gram, action, labeled, y, term, options);
  Solved solved{Matrix::Zero(y.rows(), y.cols()), Vector::Zero(y.cols())};
  for (const AverageTerm::Part& part : term.parts) {
    const double beta = paper_beta(part.ridge, y.rows(), path.unit());
    solved.alpha += part.weight * path.alpha(beta);
    if (options.constant) solved.constant += part.weight * path.constant(beta);
  }
  return solved;
}

// Labels reach what any term lets them reach.
void join_reach(const ReachSteps& other, bool first, ReachSteps& all) {
  if (first) {
    all = other;
  } else if (all.exactly.empty() || other.exactly.empty()) {
    all.exactly.clear();  // any number of steps
  } else {
    all.exactly.insert(all.exactly.end(), other.exactly.begin(), other.exactly.end());
  }
}

}  // namespace

Fit fit_average(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
                const std::vector<AverageTerm>& terms, const StkrOptions& options,
                const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  const SharedRows* rows = gram.shared_rows();
  check_labeled(gram, labeled, y);
  check_terms(gram, y.rows(), terms, options);
  Fit fit;
  fit.summary.method = "stkr";
  fit.summary.solve.solver = "direct";
  fit.summary.solve.reason = StopReason::converged;
  fit.summary.solve.residuals.assign(static_cast<std::size_t>(y.cols()), 0.0);
  if (options.constant) fit.constant = Vector::Zero(y.cols());
  double total = 0.0;
  for (const AverageTerm& term : terms) {
    for (const AverageTerm::Part& part : term.parts) total += part.weight;
  }
  ReachSteps steps;
  bool eigenvectors = false, poisson = false;
  const bool self = gram.self_term() != 0.0;
  Matrix known = Matrix::Zero(gram.local_size(), y.cols());
  if (self) fit.coefficients = known;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const SpectralAction action = action_of(gram, labeled, y, terms[k], options, context);
    const bool given = terms[k].alpha.size() > 0 && !options.constant;
    const Solved solved =
        given ? Solved{terms[k].alpha, {}} : solve(gram, action, labeled, y, terms[k], options);
    if (options.constant) fit.constant += solved.constant / total;
    const TransformedPair pair =
        action.apply_pair(scatter_samples(rows, solved.alpha / total, labeled, gram.size()));
    known += pair.known;
    if (self) fit.coefficients += pair.fresh;
    join_reach(reach_steps(terms[k].transform), k == 0, steps);
    eigenvectors = eigenvectors || action.truncation() != nullptr;
    poisson = poisson || is_poisson(terms[k]);
    fit.summary.products += action.products();
    if (terms.size() > 1) {
      fit.summary.transform += k == 0 ? "average of " : k + 1 < terms.size() ? ", " : " and ";
    }
    fit.summary.transform += terms[k].transform.describe();
    if (!action.inner().converged() && fit.summary.solve.converged()) {
      fit.summary.solve = action.inner();
    }
    fit.summary.spectrum = action.spectrum().bounds;
  }
  if (std::all_of(terms.begin(), terms.end(),
                  [](const AverageTerm& term) { return term.left_out.size() > 0; })) {
    fit.left_out = Matrix::Zero(y.rows(), y.cols());
    for (const AverageTerm& term : terms) fit.left_out += term.left_out / total;
  }
  const bool ask_reach = gram.nonnegative() && !gram.sparse();
  Matrix block(gram.local_size(), y.cols() + (ask_reach ? 1 : 0));
  block.leftCols(y.cols()) = known;
  if (ask_reach) {
    block.col(y.cols()) = scatter_samples(rows, Matrix::Ones(y.rows(), 1), labeled, gram.size());
  }
  const Matrix s_block = product(gram, block);
  ++fit.summary.products;
  fit.fitted = static_cast<double>(gram.size()) * s_block.leftCols(y.cols());
  if (!self) fit.coefficients = std::move(known);
  const Matrix first_step = ask_reach ? Matrix(s_block.rightCols(1)) : Matrix();
  fit.evidence = evidence_of(gram, labeled, steps, fit.fitted, ask_reach ? &first_step : nullptr);
  if (fit.evidence.by_reach) {
    fit.evidence.floor = floor_by_reach(eigenvectors, options.constant || poisson,
                                        evidence_floor(gather_samples(rows, fit.fitted, labeled)));
  }
  fit.summary.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return fit;
}

Matrix leave_one_out(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
                     const std::vector<AverageTerm>& terms, const StkrOptions& options,
                     const Context& context) {
  check_labeled(gram, labeled, y);
  check_terms(gram, y.rows(), terms, options);
  Matrix sum = Matrix::Zero(y.rows(), y.cols());
  double total = 0.0;
  for (const AverageTerm& term : terms) {
    const SpectralAction action = action_of(gram, labeled, y, term, options, context);
    const RidgePath path = path_of(gram, action, labeled, y, term, options);
    for (const AverageTerm::Part& part : term.parts) {
      const double beta = paper_beta(part.ridge, y.rows(), path.unit());
      const RidgePath::LeftOut left_out = path.leave_one_out(beta);
      sum += part.weight * (left_out.f + left_out.constant);
      total += part.weight;
    }
  }
  return sum / total;
}

}  // namespace stkr
