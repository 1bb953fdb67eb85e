#include "estimator/laplacian_system.hpp"

#include <cmath>

#include "linop/operators.hpp"
#include "runtime/random.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/solver/krylov.hpp"

namespace stkr {
namespace {

// Estimates ‖S e_i‖² of some samples: the mean of (Sz)_i² over random signs z.
Vector row_energies(const LinearOperator& s, std::span<const Index> samples, std::uint64_t seed) {
  constexpr Index kProbes = 16;
  Random random(seed);
  Matrix z(s.size(), kProbes);
  for (Index i = 0; i < z.size(); ++i) z.data()[i] = random.uniform() < 0.5 ? -1.0 : 1.0;
  return gather_rows(product(s, z), samples).rowwise().squaredNorm() / static_cast<double>(kProbes);
}

}  // namespace

bool laplacian_system_applies(Index size, Index labels, double eta, double beta) {
  return static_cast<double>(labels) * beta * eta < 0.5 * static_cast<double>(size);
}

SolveResult solve_laplacian_system(const LinearOperator& s, std::span<const Index> labeled,
                                   ConstMatrixRef y, double eta, double beta,
                                   const SolverOptions& options, const Context& context,
                                   std::optional<Vector> squared_row_norms) {
  const auto size = static_cast<double>(s.size());
  const double shift = static_cast<double>(labeled.size()) * beta;  // nβ
  const double divisor = size - shift * eta;
  Vector t = Vector::Constant(s.size(), -1.0 / eta);
  // On the unlabeled samples the diagonal is about 1. On the labeled ones the Schur complement
  // matters, whose diagonal is about ‖S e_i‖² + t: scale it to 1 as well.
  Vector w = Vector::Ones(s.size());
  const bool estimated = !squared_row_norms;
  const Vector energies =
      estimated ? row_energies(s, labeled, context.seed) : std::move(*squared_row_norms);
  Matrix rhs = Matrix::Zero(s.size(), y.cols());
  for (std::size_t k = 0; k < labeled.size(); ++k) {
    const Index i = labeled[k];
    t[i] = shift / divisor;
    w[i] = 1.0 / std::sqrt(energies[static_cast<Index>(k)] + t[i]);
    rhs.row(i) = y.row(k) * (w[i] / divisor);
  }
  const DiagonalScaling system(borrowed(s), w, t, context.threads);
  SolverOptions scaled = options;
  Matrix initial;  // θ/w
  if (options.initial) {
    initial = w.cwiseInverse().asDiagonal() * *options.initial;
    scaled.initial = &initial;
  }
  SolveResult result = solve_minres(system, rhs, scaled, context);
  scale_rows(w, result.solution, result.solution, context.threads);
  result.summary.products += estimated;
  return result;
}

}  // namespace stkr
