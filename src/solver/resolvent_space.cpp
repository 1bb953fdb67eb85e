#include "solver/resolvent_space.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <chrono>
#include <optional>

#include "runtime/memory.hpp"
#include "solver/orthonormal_basis.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

// Shorter directions are mostly rounding, which normalization would bring to full size.
constexpr double kNegligible = 1e-11;

// A direction of norm 1 that keeps less than this after projection was rounding.
constexpr double kSurvives = 0.5;

// Orthogonalizes V_{k+1}, which is already orthonormal, once more against all earlier blocks and
// normalizes it again. Orthonormalizing a block divides by its short directions, which magnifies
// what one projection left of the older blocks; this grows from step to step until the space
// contains copies of itself. A second projection after the division leaves nothing to magnify
// (Giraud, Langou, Rozložník and van den Eshof 2005: twice is enough).
OrthonormalBasis projected_again(OrthonormalBasis basis, const KnownEigenspace* deflate,
                                 const std::vector<ConstMatrixRef>& blocks, int threads) {
  if (basis.vectors.cols() == 0) return basis;
  if (deflate) deflate->project_out(basis.vectors);
  for (const ConstMatrixRef& block : blocks) {
    subtract_product(block, tall_product(block, basis.vectors, threads), basis.vectors, threads);
  }
  OrthonormalBasis again = orthonormal_basis(basis.vectors, kSurvives, {}, threads);
  again.coordinates = (again.coordinates * basis.coordinates).eval();
  return again;
}

}  // namespace

// Block Cholesky of I - ηT, step by step: D_1 = I - ηA_1, D_{k+1} = I - ηA_{k+1} - η²B_k D_k⁻¹B_kᵀ,
// and the eliminated right-hand side z_{k+1} = ηB_k D_k⁻¹z_k.
struct ResolventSpace::Elimination {
  explicit Elimination(double eta_in) : eta(eta_in) {}

  // Returns false if I - ηT is not positive definite.
  bool advance(const Step& step, const Step* previous, const Matrix& start) {
    Eigen::MatrixXd pivot = -eta * step.diagonal;
    pivot.diagonal().array() += 1.0;
    if (previous) {
      const Eigen::MatrixXd& p = couplings.emplace_back(
          factors.back().solve(Eigen::MatrixXd(previous->below.transpose())));
      pivot.noalias() -= eta * eta * (previous->below * p);
      z.emplace_back(eta * (p.transpose() * z.back()));
    } else {
      z.emplace_back(start);
    }
    factors.emplace_back(pivot);
    return factors.back().info() == Eigen::Success;
  }

  [[noreturn]] void fail() const {
    throw ValueError(fmt::format(
        "eta = {:.8g} reaches the top of the kernel's spectrum; choose a smaller eta", eta));
  }

  // The last block of the solution.
  Eigen::MatrixXd last() const { return factors.back().solve(z.back()); }

  double eta;
  std::vector<Eigen::LLT<Eigen::MatrixXd>> factors;  // D_k
  std::vector<Eigen::MatrixXd> couplings;            // D_k⁻¹ B_kᵀ
  std::vector<Eigen::MatrixXd> z;
};

ResolventSpace::ResolventSpace(const LinearOperator& s, Matrix b, const RowSampler& sampler,
                               const ResolventOptions& options, const Context& context) {
  const auto began = std::chrono::steady_clock::now();
  summary_.solver = "block Krylov space";
  summary_.reason = StopReason::max_iterations;
  const Vector norms = column_norms(b, context.threads).cwiseMax(1e-300);
  if (options.deflate && options.deflate->dimension() > 0) {
    const Matrix coefficients = options.deflate->coefficients(b);
    Matrix inside = Matrix::Zero(b.rows(), b.cols());
    options.deflate->add(coefficients, inside);
    b -= inside;
    deflated_eigenvalue_ = options.deflate->eigenvalue();
    deflated_rows_ = sampler(inside, deflated_eigenvalue_ * inside);
  }

  OrthonormalBasis basis =
      orthonormal_basis(b, kNegligible * norms.maxCoeff(), {}, context.threads);
  start_ = std::move(basis.coordinates);
  // If B = 0, the result is zero with the sampler's shape.
  if (basis.vectors.cols() == 0 && deflated_rows_.size() == 0) deflated_rows_ = sampler(b, b);
  b.resize(0, 0);
  // If small components, or groups of samples that are nearly disconnected from the others, are
  // exhausted early, their rounding errors grow among blocks that are orthogonal only to their
  // neighbors, and I - ηT stops being positive definite. In that case, start again with
  // orthogonality to all blocks, at three times the work.
  if (!grow(s, basis.vectors, norms, sampler, options, context, Orthogonal::to_neighbors) &&
      !grow(s, std::move(basis.vectors), norms, sampler, options, context, Orthogonal::to_all)) {
    Elimination(options.hardest_eta).fail();
  }
  if (!summary_.converged()) {
    summary_.message = fmt::format("eta = {:.8g} did not converge in {} block steps",
                                   options.hardest_eta, options.max_steps);
  }
  summary_.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

bool ResolventSpace::grow(const LinearOperator& s, Matrix v, const Vector& norms,
                          const RowSampler& sampler, const ResolventOptions& options,
                          const Context& context, Orthogonal orthogonal) {
  const int threads = context.threads;
  steps_.clear();
  summary_.iterations = 0;
  Elimination hardest(options.hardest_eta);
  Matrix previous;
  std::vector<Matrix> older;  // blocks before `previous`, if needed
  std::uint64_t kept = 0;     // bytes of `older`
  OrthonormalBasis basis;
  double scale = 0.0;                                          // of S, as seen so far
  if (v.cols() == 0) summary_.reason = StopReason::converged;  // everything was deflated
  while (v.cols() > 0 && summary_.iterations < options.max_steps) {
    context.check_cancelled();
    Matrix w(s.size(), v.cols());
    s.apply(v, w);
    ++summary_.products;
    ++summary_.iterations;
    scale = std::max(scale, column_norms(w, threads).maxCoeff());
    Step step;
    step.rows = sampler(v, w);
    step.diagonal = symmetric_tall_product(v, w, threads);
    subtract_product(v, step.diagonal, w, threads);
    if (!steps_.empty()) subtract_product(previous, steps_.back().below.transpose(), w, threads);
    if (options.deflate) options.deflate->project_out(w);
    for (const Matrix& block : older) {
      subtract_product(block, tall_product(block, w, threads), w, threads);
    }
    std::vector<ConstMatrixRef> neighbors{v};
    if (!steps_.empty()) neighbors.push_back(previous);
    for (const Matrix& block : older) neighbors.push_back(block);
    basis = orthonormal_basis(w, kNegligible * scale, neighbors, threads);
    if (orthogonal == Orthogonal::to_all) {
      basis = projected_again(std::move(basis), options.deflate, neighbors, threads);
    }
    step.below = std::move(basis.coordinates);
    if (orthogonal == Orthogonal::to_all && !steps_.empty()) {
      older.push_back(std::move(previous));
      kept += sizeof(double) * static_cast<std::uint64_t>(older.back().size());
      if (options.most_bytes > 0 && kept > options.most_bytes) {
        throw MemoryError(fmt::format(
            "eta = {:.8g}: rounding requires keeping all blocks of the Krylov space, and {} of "
            "them take {}, more than allowed; use fewer labels, a smaller eta or more memory",
            options.hardest_eta, older.size(), format_bytes(kept)));
      }
    }
    previous = std::move(v);
    v = std::move(basis.vectors);
    if (options.deflate) options.deflate->project_out(v);
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
      context.progress(
          {"block Krylov space", summary_.iterations, options.max_steps, worst, norms.size()});
    }
    if (worst <= options.tolerance) {
      summary_.reason = StopReason::converged;
      break;
    }
  }
  return true;
}

Matrix ResolventSpace::rows(double eta) const {
  Elimination elimination(eta);
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    if (!elimination.advance(steps_[k], k > 0 ? &steps_[k - 1] : nullptr, start_)) {
      elimination.fail();
    }
  }
  Matrix result;
  if (deflated_rows_.size() > 0) result = deflated_rows_ / (1.0 - eta * deflated_eigenvalue_);
  Eigen::MatrixXd x;
  for (std::size_t k = steps_.size(); k-- > 0;) {
    Eigen::MatrixXd here = elimination.factors[k].solve(elimination.z[k]);
    if (k + 1 < steps_.size()) here.noalias() += eta * (elimination.couplings[k] * x);
    x = std::move(here);
    if (result.size() == 0) result = Matrix::Zero(steps_[k].rows.rows(), start_.cols());
    result.noalias() += steps_[k].rows * x;
  }
  return result;
}

Index ResolventSpace::dimension() const {
  Index total = 0;
  for (const Step& step : steps_) total += step.diagonal.rows();
  return total;
}

}  // namespace stkr
