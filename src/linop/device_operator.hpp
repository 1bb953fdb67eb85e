#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

// Of the layers above, which implement what a device can compute.
template <class Block>
struct BasicSolverOptions;
template <class Block>
struct BasicCgOptions;
template <class Block>
struct BasicRichardsonOptions;
template <class Block>
struct BasicSolveResult;
template <class Block>
struct BasicEigenpairs;
struct EigenpairOptions;
struct SolveSummary;
struct SpectrumEstimate;
struct SpectrumOptions;
struct ChebyshevSeries;
struct ResolventOptions;
struct RowSampler;
template <class Block>
class BasicResolventSpace;

// An N × C block in the memory of a device, seen from the host.
class DeviceBlock {
 public:
  using Shared = std::shared_ptr<DeviceBlock>;

  virtual ~DeviceBlock() = default;
  virtual Index columns() const = 0;
  virtual Matrix downloaded() const = 0;  // the rows of this process
  virtual Matrix release() = 0;           // the same of a block that is not used again
  // The same without a copy, if the device's memory is the host's.
  virtual std::optional<ConstMatrixRef> in_place() const = 0;
  // Eᵀ x: the rows of these samples, of all processes.
  virtual Matrix rows_at(std::span<const Index> samples) const = 0;
};

// An operator whose blocks are on a device, seen from the host: it takes blocks in host memory,
// computes on the device as a whole, and returns blocks in host memory. The functions of the host
// with these names call it if LinearOperator::on_device() gives one.
// device/device_operator_template.hpp implements it for every block type.
class DeviceOperator {
 public:
  using Shared = std::shared_ptr<const DeviceOperator>;

  virtual ~DeviceOperator() = default;
  virtual Index size() const = 0;

  // y = A x
  virtual void apply(ConstMatrixRef x, MatrixRef y) const = 0;
  virtual void apply_roughly(ConstMatrixRef x, MatrixRef y) const = 0;
  virtual RoughProducts rough() const = 0;

  virtual void apply_polynomial(const std::vector<double>& coefficients, ConstMatrixRef x,
                                MatrixRef y, int threads) const = 0;
  virtual void apply_chebyshev(const ChebyshevSeries& g, ConstMatrixRef x, MatrixRef y,
                               int threads) const = 0;
  virtual BasicSolveResult<Matrix> solve_cg(ConstMatrixRef b, const BasicCgOptions<Matrix>& options,
                                            const Context& context) const = 0;
  virtual BasicSolveResult<Matrix> solve_minres(ConstMatrixRef b,
                                                const BasicSolverOptions<Matrix>& options,
                                                const Context& context) const = 0;
  virtual BasicSolveResult<Matrix> solve_richardson(ConstMatrixRef b,
                                                    const BasicRichardsonOptions<Matrix>& options,
                                                    const Context& context) const = 0;
  virtual BasicEigenpairs<Matrix> top_eigenpairs(Index count, const EigenpairOptions& options,
                                                 const Context& context) const = 0;
  virtual SpectrumEstimate estimate_spectrum(const SpectrumOptions& options,
                                             const Context& context) const = 0;
  virtual BasicResolventSpace<Matrix> resolvent(ConstMatrixRef b, const RowSampler& sampler,
                                                const ResolventOptions& options,
                                                const Context& context) const = 0;

  // The same for blocks that stay on the device (estimator/resident_block.hpp), which must be of
  // this device. `initial` may be null; that of the options is ignored.
  virtual DeviceBlock::Shared uploaded(ConstMatrixRef x) const = 0;
  virtual DeviceBlock::Shared scattered(ConstMatrixRef x, std::span<const Index> samples) const = 0;
  virtual DeviceBlock::Shared image(double factor, const DeviceBlock& x, bool roughly) const = 0;
  virtual DeviceBlock::Shared polynomial_image(const std::vector<double>& coefficients,
                                               const DeviceBlock& x, int threads) const = 0;
  virtual DeviceBlock::Shared chebyshev_image(const ChebyshevSeries& g, const DeviceBlock& x,
                                              int threads) const = 0;
  virtual DeviceBlock::Shared solve_cg(const DeviceBlock& b, const DeviceBlock* initial,
                                       const BasicCgOptions<Matrix>& options,
                                       const Context& context, SolveSummary& summary) const = 0;
  virtual DeviceBlock::Shared solve_minres(const DeviceBlock& b, const DeviceBlock* initial,
                                           const BasicSolverOptions<Matrix>& options,
                                           const Context& context, SolveSummary& summary) const = 0;
  // a x + b y; and diag(w) x.
  virtual DeviceBlock::Shared combination(double a, const DeviceBlock& x, double b,
                                          const DeviceBlock& y) const = 0;
  virtual DeviceBlock::Shared with_scaled_rows(ConstMatrixRef w, const DeviceBlock& x) const = 0;

  // Operators made of this one, on the same device (linop/operators,
  // transform/operator_polynomial).
  virtual Shared scaled(double factor, int threads) const = 0;
  virtual Shared polynomial(std::vector<double> coefficients, int threads) const = 0;
  // W (A + diag(t)) W; an empty t: W A W.
  virtual Shared diagonally_scaled(ConstMatrixRef w, ConstMatrixRef t, int threads) const = 0;
  // diag(w) A, which is not symmetric.
  virtual Shared rows_scaled(const Vector& w, int threads) const = 0;
  // A + V diag(factors) Vᵀ.
  virtual Shared plus_low_rank(const Matrix& v, const Vector& factors, int threads) const = 0;
  // P A P, where P removes the eigenvectors. `space` must outlive the result.
  virtual Shared projected(const KnownEigenspace& space, int threads) const = 0;
  // own·A + weight·B; null if B is on another device.
  virtual Shared plus(double own, const DeviceOperator& other, double weight) const = 0;
  // Counts its products in `count`, which must outlive the result.
  virtual Shared counted(std::atomic<long>& count) const = 0;
};

}  // namespace stkr
