#pragma once

#include <optional>
#include <span>
#include <vector>

#include "linop/device_operator.hpp"
#include "stkr/linop/shared_rows.hpp"
#include "stkr/solver/krylov.hpp"
#include "transform/chebyshev.hpp"

namespace stkr {

// An N × C block that stays where its operator computes: in the memory of a device, or in a matrix
// of the host (the rows of this process). Steps of a fit hand it on; only labels, their answers and
// what the fit returns travel.
class ResidentBlock {
 public:
  ResidentBlock() = default;
  explicit ResidentBlock(Matrix host) : host_(std::move(host)) {}
  explicit ResidentBlock(DeviceBlock::Shared block) : device_(std::move(block)) {}

  // E x, with row k of x at samples[k] and zeros elsewhere; and x.
  static ResidentBlock scattered(const LinearOperator& op, ConstMatrixRef x,
                                 std::span<const Index> samples);
  static ResidentBlock of(const LinearOperator& op, Matrix x);

  Index columns() const;
  bool empty() const { return columns() == 0; }
  const DeviceBlock* on_device() const { return device_.get(); }  // null: on the host

  // The rows of this process in the memory of the host. A download is kept for later.
  ConstMatrixRef host_rows();
  // Copies, or moves if the block is not used again.
  Matrix to_host() const&;
  Matrix to_host() &&;

  // Eᵀ x, from all processes; and the same for numbers of rows of this process.
  Matrix rows_at(const SharedRows* rows, std::span<const Index> samples) const;
  Matrix own_rows_at(std::span<const Index> samples) const;

 private:
  friend class PlacedBlock;

  std::optional<Matrix> host_;
  DeviceBlock::Shared device_;
};

// The functions of linop, transform and solver of these names. A block on a device stays there if
// the operator is on it, too, and comes to the host otherwise.
ResidentBlock product(const LinearOperator& a, const ResidentBlock& x, double factor = 1.0);
ResidentBlock product_roughly(const LinearOperator& a, const ResidentBlock& x);
ResidentBlock apply_polynomial(const LinearOperator& a, const std::vector<double>& coefficients,
                               const ResidentBlock& x, int threads);
ResidentBlock apply_chebyshev(const LinearOperator& a, const ChebyshevSeries& g,
                              const ResidentBlock& x, int threads);

struct ResidentSolve {
  ResidentBlock solution;
  SolveSummary summary;
};
// `start` may be null; that of the options is ignored.
ResidentSolve solve_cg(const LinearOperator& a, const ResidentBlock& b, const ResidentBlock* start,
                       const CgOptions& options, const Context& context);
ResidentSolve solve_minres(const LinearOperator& a, const ResidentBlock& b,
                           const ResidentBlock* start, const SolverOptions& options,
                           const Context& context);

// a x + b y; and diag(w) x. `op` is where the blocks are.
ResidentBlock combination(const LinearOperator& op, double a, const ResidentBlock& x, double b,
                          const ResidentBlock& y, int threads);
ResidentBlock with_scaled_rows(const LinearOperator& op, ConstMatrixRef w, ResidentBlock x,
                               int threads);

}  // namespace stkr
