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
  // Every process draws the numbers of all rows, so that they do not depend on how these are
  // shared.
  const SharedRows* rows = s.shared_rows();
  Matrix z(s.local_size(), kProbes);
  for (Index i = 0; i < s.size(); ++i) {
    const Index row = rows ? rows->local(i) : i;
    for (Index k = 0; k < kProbes; ++k) {
      const double sign = random.uniform() < 0.5 ? -1.0 : 1.0;
      if (row >= 0) z(row, k) = sign;
    }
  }
  return gather_samples(s.shared_rows(), product(s, z), samples).rowwise().squaredNorm() /
         static_cast<double>(kProbes);
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
  const SharedRows* rows = s.shared_rows();
  Vector t = Vector::Constant(s.local_size(), -1.0 / eta);
  // On the unlabeled samples the diagonal is about 1. On the labeled ones the Schur complement
  // matters, whose diagonal is about ‖S e_i‖² + t: scale it to 1 as well.
  Vector w = Vector::Ones(s.local_size());
  const bool estimated = !squared_row_norms;
  const Vector energies =
      estimated ? row_energies(s, labeled, context.seed) : std::move(*squared_row_norms);
  Matrix rhs = Matrix::Zero(s.local_size(), y.cols());
  for (std::size_t k = 0; k < labeled.size(); ++k) {
    const Index i = rows ? rows->local(labeled[k]) : labeled[k];
    if (i < 0) continue;  // of another process
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
