#include "estimator/laplacian_system.hpp"

#include <cmath>

#include "linop/operators.hpp"
#include "runtime/parallel.hpp"
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

// On all threads: a new column of many rows has no pages yet, which takes longer than filling it.
Matrix constant_column(Index rows, double value, int threads) {
  constexpr Index kGrain = 1 << 16;
  Matrix column(rows, 1);
  parallel_chunks(rows, kGrain, threads, [&](Index begin, Index end) {
    column.middleRows(begin, end - begin).setConstant(value);
  });
  return column;
}

}  // namespace

bool laplacian_system_applies(Index size, Index labels, double eta, double beta) {
  return static_cast<double>(labels) * beta * eta < 0.5 * static_cast<double>(size);
}

ResidentSolve solve_laplacian_system(const LinearOperator& s, std::span<const Index> labeled,
                                     ConstMatrixRef y, double eta, double beta,
                                     const SolverOptions& options, const Context& context,
                                     const ResidentBlock* start,
                                     std::optional<Vector> squared_row_norms) {
  const auto size = static_cast<double>(s.size());
  const double shift = static_cast<double>(labeled.size()) * beta;  // nβ
  const double divisor = size - shift * eta;
  const SharedRows* rows = s.shared_rows();
  Matrix t = constant_column(s.local_size(), -1.0 / eta, context.threads);
  // On the unlabeled samples the diagonal is about 1. On the labeled ones the Schur complement
  // matters, whose diagonal is about ‖S e_i‖² + t: scale it to 1 as well.
  Matrix w = constant_column(s.local_size(), 1.0, context.threads);
  const bool estimated = !squared_row_norms;
  const Vector energies =
      estimated ? row_energies(s, labeled, context.seed) : std::move(*squared_row_norms);
  Matrix rhs(y.rows(), y.cols());
  for (std::size_t k = 0; k < labeled.size(); ++k) {
    const auto own = static_cast<Index>(k);
    const double diagonal = shift / divisor;
    const double scale = 1.0 / std::sqrt(energies[own] + diagonal);
    rhs.row(own) = y.row(own) * (scale / divisor);
    const Index i = rows ? rows->local(labeled[k]) : labeled[k];
    if (i < 0) continue;  // of another process
    t(i, 0) = diagonal;
    w(i, 0) = scale;
  }
  const DiagonalScaling system(borrowed(s), std::move(w), std::move(t), context.threads);
  ResidentBlock initial;  // θ/w
  if (start) initial = with_scaled_rows(s, system.w().cwiseInverse(), *start, context.threads);
  ResidentSolve result = solve_minres(system, ResidentBlock::scattered(s, rhs, labeled),
                                      start ? &initial : nullptr, options, context);
  result.solution = with_scaled_rows(s, system.w(), std::move(result.solution), context.threads);
  result.summary.products += estimated;
  return result;
}

}  // namespace stkr
