#include "estimator/kernel_pca.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>

#include "estimator/evidence.hpp"
#include "estimator/leading_space.hpp"
#include "estimator/ridge_path.hpp"
#include "estimator/ridge_unit.hpp"
#include "solver/dense.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

std::vector<Index> learned_from(const GramOperator& gram, std::span<const Index> labeled,
                                const KernelPcaOptions& options) {
  std::vector<Index> samples = unlabeled_rows(
      gram.shared_rows(), gram.size(), options.all_samples ? std::span<const Index>() : labeled);
  if (options.literal_top_d) return samples;
  const std::vector<Index> reached = samples_that_labels_reach(gram, labeled);
  std::vector<Index> both;
  std::set_intersection(samples.begin(), samples.end(), reached.begin(), reached.end(),
                        std::back_inserter(both));
  return both;
}

double mass_of(const GramOperator& gram, const std::vector<Index>& samples) {
  const Vector* root = gram.root_weights();
  if (!root) return sum_over(gram.shared_rows(), static_cast<double>(samples.size()));
  double mass = 0.0;
  for (const Index i : samples) mass += std::pow((*root)[i], 2);
  return sum_over(gram.shared_rows(), mass);
}

// f at the N samples: from `known` at samples in `inside`, from `fresh` at all others.
Matrix fitted_values(const GramOperator& gram, const Matrix& known, const Matrix& fresh,
                     const std::vector<Index>& inside) {
  const auto size = static_cast<double>(gram.size());
  Matrix f = size * product(gram, fresh);
  if (gram.self_term() != 0.0) {
    const Matrix own = size * product(gram, known);
    for (const Index i : inside) f.row(i) = own.row(i);
  }
  if (const Vector* root = gram.root_weights()) {
    f = root->unaryExpr([](double r) { return r > 0.0 ? 1.0 / r : 0.0; }).asDiagonal() * f;
  }
  return f;
}

}  // namespace

Index default_dimension(Index unlabeled, Index labels, Index outputs, bool numbers) {
  constexpr Index kMost = 128;
  const Index wanted = numbers ? labels / 2 : std::min(3 * outputs, labels / 2);
  return std::clamp<Index>(std::min(wanted, unlabeled / 8), 1, kMost);
}

KernelPca kernel_pca(const GramOperator& gram, std::span<const Index> labeled,
                     const KernelPcaOptions& options, const Context& context) {
  KernelPca result;
  result.unlabeled = learned_from(gram, labeled, options);
  const auto m = static_cast<Index>(
      sum_over(gram.shared_rows(), static_cast<double>(result.unlabeled.size())));
  result.samples = m;
  if (options.dimension < 1) {
    throw ParameterError(fmt::format("kernel PCA: d = {}; expected d >= 1", options.dimension));
  }
  const Index d =
      options.fewer_if_not_positive ? std::min(options.dimension, m) : options.dimension;
  if (d > m || m == 0) {
    throw ParameterError(fmt::format(
        "kernel PCA: d = {} but there are {} unlabeled samples{}, so at most {} positive "
        "eigenvalues; choose d <= {}",
        options.dimension, m, m < gram.size() && !options.literal_top_d ? " that labels reach" : "",
        m, m));
  }
  // G_{K,m}/m = (N/m) Eᵀ S E
  const auto size = static_cast<double>(gram.size());
  result.mass = mass_of(gram, result.unlabeled);
  EigenpairOptions pairs_options;
  pairs_options.tolerance = options.tolerance;
  // If a product costs N², LAPACK on the explicit matrix is faster than iterating up to this size.
  if (!gram.sparse()) pairs_options.dense_below = options.execution.diagonalize_below;
  LeadingSpace space =
      leading_space(gram, result.unlabeled, size / result.mass, d,
                    options.literal_top_d ? TopD::literal : TopD::whole, pairs_options, context);
  if (space.positive < d && !options.fewer_if_not_positive) {
    throw ParameterError(fmt::format(
        "kernel PCA: d = {} but the kernel has only {} positive eigenvalues on the {} unlabeled "
        "samples; choose d <= {}",
        options.dimension, space.positive, m, space.positive));
  }
  warn_of_copies("kernel PCA", d, space, result.warnings);
  result.positive = space.positive;
  result.eigenvalues = std::move(space.values);
  result.vectors = std::move(space.vectors);
  result.fresh_factors = Vector::Ones(result.eigenvalues.size());
  for (Index i = 0; i < result.eigenvalues.size(); ++i) {
    result.vectors.col(i) /= std::sqrt(result.mass * result.eigenvalues[i]);
    // (G° v) = (mλ̃ - Nδ) v; if that vanishes, edges carry no information about this component.
    const double own = size * gram.self_term() / (result.mass * result.eigenvalues[i]);
    result.fresh_factors[i] = std::abs(1.0 - own) > 1e-8 ? 1.0 / (1.0 - own) : 0.0;
  }
  result.summary = std::move(space.summary);
  return result;
}

namespace {

// If a kernel is nearly diagonal (a length scale too short for so many features), each outlier is
// its own eigenvector, with an eigenvalue near the largest. Such eigenvectors distinguish outliers,
// not classes.
void warn_of_spikes(const KernelPca& pca, const SharedRows* rows,
                    std::vector<std::string>& warnings) {
  constexpr Index kFewest = 30;  // samples; with fewer, one or two are not outliers
  const Index d = pca.vectors.cols();
  Matrix sums(2, d);  // Σv² and Σv⁴
  sums.row(0) = pca.vectors.cwiseAbs2().colwise().sum();
  sums.row(1) = pca.vectors.cwiseAbs2().cwiseAbs2().colwise().sum();
  sum_over(rows, sums);
  if (sum_over(rows, static_cast<double>(pca.vectors.rows())) < kFewest || d < 2) return;
  Index spikes = 0;
  for (Index i = 0; i < d; ++i) {
    // (Σv²)²/Σv⁴ is the number of samples on which an eigenvector concentrates.
    spikes += sums(0, i) * sums(0, i) < 3.0 * sums(1, i) &&
              pca.eigenvalues[i] > 0.999 * pca.eigenvalues[0];
  }
  if (2 * spikes <= d) return;
  warnings.push_back(fmt::format(
      "kernel PCA: {} of the {} leading eigenvectors concentrate on one or two samples, because "
      "the kernel is nearly diagonal: they distinguish outliers, not classes; use a longer length "
      "scale (median), kernel knn, or a larger d",
      spikes, d));
}

}  // namespace

Fit fit_kernel_pca(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
                   const KernelPcaOptions& options, const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  check_labeled(gram, labeled, y);
  const double given = options.beta.value_or(options.ridge);
  if (!(given > 0.0) || !std::isfinite(given)) {
    throw ParameterError(fmt::format("kernel PCA: {} = {}; expected a positive number",
                                     options.beta ? "beta" : "ridge", given));
  }
  KernelPca pca = kernel_pca(gram, labeled, options, context);
  const auto n = static_cast<Index>(labeled.size());

  // Ψ̂(X_n)ᵀ: row l holds ψ̂_1(x_l), ..., ψ̂_d(x_l) = (G_K E_U V)_l.
  Matrix embedded = scatter_rows(pca.vectors, pca.unlabeled, gram.local_size());
  Matrix fresh = embedded * pca.fresh_factors.asDiagonal();
  const Matrix values = fitted_values(gram, embedded, fresh, pca.unlabeled);
  const Matrix psi = gather_samples(gram.shared_rows(), values, labeled);

  Fit fit;
  const std::vector<Index> measured = unit_labels(n);
  const double unit = ridge_unit_of_columns(psi * gather_rows(psi, measured).transpose());
  double ridge = options.ridge;
  if (options.choose_ridge && !options.beta && n > 2 && n <= options.execution.most_direct) {
    RidgePathOptions path;
    path.constant = options.constant;
    path.label_weights = options.label_weights;
    ridge = ridge_by_leave_one_out(
        RidgePath(psi * psi.transpose(), Matrix(0, n), y, std::move(path)), y);
    fit.summary.ridge_chosen = true;
  }
  const double beta = options.beta ? *options.beta : paper_beta(ridge, n, unit);
  // ŵ = (Ψ̂Ψ̂ᵀ + nβ_n I_d)⁻¹ Ψ̂ y; with a constant the means of Ψ̂ and y are subtracted, and with
  // weights both sums are weighted.
  const Vector weights =
      options.label_weights.size() > 0 ? options.label_weights : Vector::Ones(n).eval();
  Matrix inputs = psi, targets = y;
  Eigen::RowVectorXd input_mean = Eigen::RowVectorXd::Zero(psi.cols());
  Eigen::RowVectorXd target_mean = Eigen::RowVectorXd::Zero(y.cols());
  if (options.constant) {
    input_mean = weights.transpose() * psi / weights.sum();
    target_mean = weights.transpose() * y / weights.sum();
    inputs.rowwise() -= input_mean;
    targets.rowwise() -= target_mean;
  }
  const Matrix weighted = weights.asDiagonal() * inputs;
  Matrix a = weighted.transpose() * inputs;
  a.diagonal().array() += static_cast<double>(n) * beta;
  SolveResult w = solve_dense(a, weighted.transpose() * targets);
  if (options.constant) fit.constant = (target_mean - input_mean * w.solution).transpose();
  fit.coefficients = tall_times_small(fresh, w.solution, context.threads);
  fit.fitted = tall_times_small(values, w.solution, context.threads);
  if (options.keep_embedding) {
    // ψ̂ has mean square λ̃ over the samples it was computed from.
    const Vector scale = pca.eigenvalues.cwiseSqrt().cwiseInverse();
    fit.embedding = {pca.eigenvalues, values * scale.asDiagonal(), fresh * scale.asDiagonal()};
  }
  fit.evidence = evidence_of(gram, labeled, {}, fit.fitted);
  if (fit.evidence.by_reach) {
    fit.evidence.floor =
        floor_by_reach(/*eigenvectors=*/true, options.constant,
                       evidence_floor(gather_samples(gram.shared_rows(), fit.fitted, labeled)));
  }
  fit.summary.method = "kernel-pca";
  fit.summary.transform = fmt::format("kernel PCA d={}", pca.eigenvalues.size());
  fit.summary.spectrum = gram.bounds();
  fit.summary.beta = beta;
  fit.summary.ridge = unit > 0.0 ? beta * static_cast<double>(n) / unit : 0.0;
  fit.summary.warnings = pca.warnings;
  warn_of_spikes(pca, gram.shared_rows(), fit.summary.warnings);
  fit.summary.products = pca.summary.products + 1;
  fit.summary.solve = pca.summary.converged() ? std::move(w.summary) : std::move(pca.summary);
  fit.summary.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return fit;
}

}  // namespace stkr
