#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "linop/device_operator.hpp"
#include "runtime/memory.hpp"
#include "solver/block_elimination.hpp"
#include "solver/orthonormal_basis_template.hpp"
#include "solver/resolvent_space.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace detail {

// Shorter directions are mostly rounding, which normalization would bring to full size.
inline constexpr double kResolventNegligible = 1e-11;

// Orthogonalizes V_{k+1}, which is already orthonormal, once more against all earlier blocks and
// normalizes it again. Orthonormalizing a block divides by its short directions, which magnifies
// what one projection left of the older blocks; this grows from step to step until the space
// contains copies of itself. A second projection after the division leaves nothing to magnify
// (Giraud, Langou, Rozložník and van den Eshof 2005: twice is enough).
template <class Block>
BasicOrthonormalBasis<Block> projected_again(BasicOrthonormalBasis<Block> basis,
                                             const KnownEigenspace* deflate,
                                             const std::vector<ConstBlockView<Block>>& blocks,
                                             int threads) {
  if (basis.vectors.cols() == 0) return basis;
  if (deflate) project_out(*deflate, basis.vectors, threads);
  for (const ConstBlockView<Block>& block : blocks) {
    subtract_product(block, tall_product(block, basis.vectors, threads), basis.vectors, threads);
  }
  BasicOrthonormalBasis<Block> again =
      orthonormal_basis<Block>(basis.vectors, kSurvives, {}, threads);
  again.coordinates = (again.coordinates * basis.coordinates).eval();
  return again;
}

// R X
template <class Block>
Matrix sampled(const RowSampler& sampler, ConstBlockView<Block> x, ConstBlockView<Block> s_x) {
  Matrix storage;
  return sampler.finish(gather_rows(s_x, sampler.samples), [&]() -> ConstMatrixRef {
    if constexpr (std::same_as<Block, Matrix>) {
      return x;
    } else {
      storage = download(x);
      return storage;
    }
  });
}

}  // namespace detail

template <class Block>
BasicResolventSpace<Block>::BasicResolventSpace(const BasicLinearOperator<Block>& s, Block b,
                                                const RowSampler& sampler,
                                                const ResolventOptions& options,
                                                const Context& context) {
  if constexpr (std::same_as<Block, Matrix>) {
    if (const auto device = s.on_device()) {
      *this = device->resolvent(b, sampler, options, context);
      return;
    }
  }
  const int threads = context.threads;
  const auto began = std::chrono::steady_clock::now();
  summary_.solver = "block Krylov space";
  summary_.reason = StopReason::max_iterations;
  const Vector norms = column_norms(b, threads).cwiseMax(1e-300);
  if (options.deflate && options.deflate->dimension() > 0) {
    Block inside = block_like(b, b.cols()), s_inside = block_like(b, b.cols());
    set_zero(inside, threads);
    add_projection(*options.deflate, 1.0, b, inside, threads);
    axpby(-1.0, inside, 1.0, b, threads);
    deflated_eigenvalue_ = options.deflate->eigenvalue();
    axpby(deflated_eigenvalue_, inside, 0.0, s_inside, threads);
    deflated_rows_ = detail::sampled<Block>(sampler, inside, s_inside);
  }

  BasicOrthonormalBasis<Block> basis =
      orthonormal_basis<Block>(b, detail::kResolventNegligible * norms.maxCoeff(), {}, threads);
  start_ = std::move(basis.coordinates);
  // If B = 0, the result is zero with the sampler's shape.
  if (basis.vectors.cols() == 0 && deflated_rows_.size() == 0)
    deflated_rows_ = detail::sampled<Block>(sampler, b, b);
  b = Block();
  // If small components, or groups of samples that are nearly disconnected from the others, are
  // exhausted early, their rounding errors grow among blocks that are orthogonal only to their
  // neighbors, and I - ηT stops being positive definite. In that case, start again with
  // orthogonality to all blocks, at three times the work.
  if (!grow(s, copy_of<Block>(basis.vectors, threads), norms, sampler, options, context,
            Orthogonal::to_neighbors) &&
      !grow(s, std::move(basis.vectors), norms, sampler, options, context, Orthogonal::to_all)) {
    detail::BlockElimination(options.hardest_eta).fail();
  }
  if (!summary_.converged()) {
    summary_.message = fmt::format("eta = {:.8g} did not converge in {} block steps",
                                   options.hardest_eta, options.max_steps);
  }
  summary_.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

template <class Block>
bool BasicResolventSpace<Block>::grow(const BasicLinearOperator<Block>& s, Block v,
                                      const Vector& norms, const RowSampler& sampler,
                                      const ResolventOptions& options, const Context& context,
                                      Orthogonal orthogonal) {
  const int threads = context.threads;
  steps_.clear();
  summary_.iterations = 0;
  detail::BlockElimination hardest(options.hardest_eta);
  Block previous;
  std::vector<Block> older;  // blocks before `previous`, if needed
  std::uint64_t kept = 0;    // bytes of `older`
  BasicOrthonormalBasis<Block> basis;
  double scale = 0.0;                                          // of S, as seen so far
  if (v.cols() == 0) summary_.reason = StopReason::converged;  // everything was deflated
  while (v.cols() > 0 && summary_.iterations < options.max_steps) {
    context.check_cancelled();
    Block w = product<Block>(s, v);
    ++summary_.products;
    ++summary_.iterations;
    scale = std::max(scale, column_norms(w, threads).maxCoeff());
    detail::BlockStep step;
    step.rows = detail::sampled<Block>(sampler, v, w);
    step.diagonal = symmetric_tall_product(v, w, threads);
    subtract_product(v, step.diagonal, w, threads);
    if (!steps_.empty()) subtract_product(previous, steps_.back().below.transpose(), w, threads);
    if (options.deflate) project_out(*options.deflate, w, threads);
    for (const Block& block : older) {
      subtract_product(block, tall_product(block, w, threads), w, threads);
    }
    std::vector<ConstBlockView<Block>> neighbors{v};
    if (!steps_.empty()) neighbors.push_back(previous);
    for (const Block& block : older) neighbors.push_back(block);
    basis = orthonormal_basis<Block>(w, detail::kResolventNegligible * scale, neighbors, threads);
    if (orthogonal == Orthogonal::to_all) {
      basis = detail::projected_again<Block>(std::move(basis), options.deflate, neighbors, threads);
    }
    step.below = std::move(basis.coordinates);
    if (orthogonal == Orthogonal::to_all && !steps_.empty()) {
      older.push_back(std::move(previous));
      kept +=
          sizeof(double) * static_cast<std::uint64_t>(older.back().rows() * older.back().cols());
      if (options.most_bytes > 0 && kept > options.most_bytes) {
        throw MemoryError(fmt::format(
            "eta = {:.8g}: rounding requires keeping all blocks of the Krylov space, and {} of "
            "them take {}, more than allowed; use fewer labels, a smaller eta or more memory",
            options.hardest_eta, older.size(), format_bytes(kept)));
      }
    }
    previous = std::move(v);
    v = std::move(basis.vectors);
    if (options.deflate) project_out(*options.deflate, v, threads);
    if (!hardest.advance(step, steps_.empty() ? nullptr : &steps_.back(), start_)) return false;
    steps_.push_back(std::move(step));
    // B - (I - ηS)X = ηV_{K+1} B_K X_K
    const Eigen::MatrixXd tail = steps_.back().below * hardest.last();
    double worst = 0.0;
    summary_.residuals.resize(norms.size());
    for (Index c = 0; c < norms.size(); ++c) {
      summary_.residuals[c] =
          tail.rows() > 0 ? options.hardest_eta * tail.col(c).norm() / norms[c] : 0.0;
      worst = std::max(worst, summary_.residuals[c]);
    }
    if (context.progress) {
      context.progress({"block Krylov space", summary_.iterations, options.max_steps, worst,
                        norms.size(), options.tolerance});
    }
    if (worst <= options.tolerance) {
      summary_.reason = StopReason::converged;
      break;
    }
  }
  return true;
}

template <class Block>
Matrix BasicResolventSpace<Block>::rows(double eta) const {
  Matrix result = complement_rows(eta);
  if (deflated_rows_.size() > 0) result += deflated_rows_ / (1.0 - eta * deflated_eigenvalue_);
  return result;
}

template <class Block>
Matrix BasicResolventSpace<Block>::complement_rows(double eta) const {
  detail::BlockElimination elimination(eta);
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    if (!elimination.advance(steps_[k], k > 0 ? &steps_[k - 1] : nullptr, start_)) {
      elimination.fail();
    }
  }
  Matrix result = Matrix::Zero(deflated_rows_.rows(), start_.cols());
  Eigen::MatrixXd x;
  for (std::size_t k = steps_.size(); k-- > 0;) {
    Eigen::MatrixXd here = elimination.factors[k].solve(elimination.z[k]);
    if (k + 1 < steps_.size()) here.noalias() += eta * (elimination.couplings[k] * x);
    x = std::move(here);
    if (result.rows() == 0) result = Matrix::Zero(steps_[k].rows.rows(), start_.cols());
    result.noalias() += steps_[k].rows * x;
  }
  return result;
}

template <class Block>
Index BasicResolventSpace<Block>::dimension() const {
  Index total = 0;
  for (const detail::BlockStep& step : steps_) total += step.diagonal.rows();
  return total;
}

}  // namespace stkr
