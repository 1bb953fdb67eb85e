#include "stkr/estimator/kernel_pca.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/solver/component_eigenpairs.hpp"
#include "stkr/solver/dense.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace stkr {
KernelPca kernel_pca(const GramOperator& gram, std::span<const Index> labeled,
                     const KernelPcaOptions& options) {
  KernelPca result;
  result.unlabeled =
      unlabeled_samples(gram.size(), options.all_samples ? std::span<const Index>() : labeled);
  const auto m = static_cast<Index>(result.unlabeled.size());
  if (options.dimension < 1) {
    throw ValueError(fmt::format("kernel PCA: d = {}; expected d >= 1", options.dimension));
  }
  if (options.dimension > m) {
    throw ValueError(fmt::format(
        "kernel PCA: d = {} but there are {} unlabelled samples, so at most {} positive "
        "eigenvalues; choose d <= {}",
        options.dimension, m, m, m));
  }
  // G_{K,m}/m = (N/m) Eᵀ S E
  const std::unique_ptr<LinearOperator> block =
      gram.restricted(result.unlabeled, static_cast<double>(gram.size()) / static_cast<double>(m));
  EigenpairOptions pairs_options;
  pairs_options.tolerance = options.tolerance;
  // Up to here LAPACK on the explicit matrix is faster than iterating where a product costs N².
  if (!gram.sparse()) pairs_options.dense_below = options.execution.diagonalize_below;
  pairs_options.seed = options.seed;
  pairs_options.threads = options.threads;
  pairs_options.control = options.control;
  const auto* sparse = dynamic_cast<const CsrOperator*>(block.get());
  Eigenpairs pairs = sparse ? component_eigenpairs(*sparse, options.dimension, pairs_options)
                            : top_eigenpairs(*block, options.dimension, pairs_options);
  if (pairs.summary.reason == StopReason::cancelled) throw Cancelled("stopped by the caller");
  const Index positive = (pairs.values.array() > 1e-12 * std::abs(pairs.values[0])).count();
  if (positive < options.dimension && !options.fewer_if_not_positive) {
    throw ValueError(fmt::format(
        "kernel PCA: d = {} but the kernel has only {} positive eigenvalues on the {} unlabelled "
        "samples; choose d <= {}",
        options.dimension, positive, m, positive));
  }
  result.vectors = pairs.vectors.leftCols(positive);
  result.eigenvalues = pairs.values.head(positive);
  for (Index i = 0; i < positive; ++i) {
    result.vectors.col(i) /= std::sqrt(static_cast<double>(m) * result.eigenvalues[i]);
  }
  result.summary = std::move(pairs.summary);
  return result;
}

Fit fit_kernel_pca(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
                   const KernelPcaOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  check_labeled(gram, labeled, y);
  if (!(options.beta > 0.0) || !std::isfinite(options.beta)) {
    throw ValueError(
        fmt::format("kernel PCA: beta = {}; expected a positive number", options.beta));
  }
  KernelPca pca = kernel_pca(gram, labeled, options);
  const auto n = static_cast<double>(labeled.size());
  const auto size = static_cast<double>(gram.size());

  // Ψ̂(X_n)ᵀ: row l holds ψ̂_1(x_l), ..., ψ̂_d(x_l) = (G_K E_U V)_l.
  Matrix embedded = scatter_rows(pca.vectors, pca.unlabeled, gram.size());
  const Matrix psi = size * gather_rows(product(gram, embedded), labeled);
  // ŵ = (Ψ̂Ψ̂ᵀ + nβ_n I_d)⁻¹ Ψ̂ y
  Matrix a = psi.transpose() * psi;
  a.diagonal().array() += n * options.beta;
  SolveResult w = solve_dense(a, psi.transpose() * y);

  Fit fit;
  fit.coefficients = tall_times_small(embedded, w.solution, options.threads);
  fit.fitted = size * product(gram, fit.coefficients);
  if (options.keep_embedding) {
    // ψ̂ has mean square λ̃ over the samples it was learned from.
    embedded.array().rowwise() /= pca.eigenvalues.cwiseSqrt().transpose().array();
    fit.embedding = {pca.eigenvalues, std::move(embedded)};
  }
  fit.summary.method = "kernel-pca";
  fit.summary.transform = fmt::format("kernel PCA d={}", options.dimension);
  fit.summary.spectrum = gram.bounds();
  fit.summary.products = pca.summary.products + 2;
  fit.summary.solve = pca.summary.converged() ? std::move(w.summary) : std::move(pca.summary);
  fit.summary.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return fit;
}

}  // namespace stkr
