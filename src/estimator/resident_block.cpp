#include "estimator/resident_block.hpp"

#include <optional>
#include <utility>

#include "stkr/linop/block_algebra.hpp"
#include "transform/operator_polynomial.hpp"

namespace stkr {

// A block that is needed in a matrix of the host, or on the device of an operator.
class PlacedBlock {
 public:
  explicit PlacedBlock(const ResidentBlock* block) : block_(block) {}

  const Matrix* on_host() {
    if (!block_) return nullptr;
    if (block_->host_) return &*block_->host_;
    return &host_.emplace(block_->to_host());
  }
  const DeviceBlock* on_device(const DeviceOperator& device) {
    if (!block_) return nullptr;
    if (block_->device_) return block_->device_.get();
    device_ = device.uploaded(*block_->host_);
    return device_.get();
  }

 private:
  const ResidentBlock* block_;
  std::optional<Matrix> host_;
  DeviceBlock::Shared device_;
};

namespace {

// on_device(operator, block) if both are on the device, else on_host(matrix).
template <class OnDevice, class OnHost>
auto where(const LinearOperator& a, const ResidentBlock& x, OnDevice&& on_device,
           OnHost&& on_host) {
  const DeviceBlock* block = x.on_device();
  if (const auto device = block ? a.on_device() : nullptr) return on_device(*device, *block);
  return on_host(*PlacedBlock(&x).on_host());
}

}  // namespace

ResidentBlock ResidentBlock::scattered(const LinearOperator& op, ConstMatrixRef x,
                                       std::span<const Index> samples) {
  if (const auto device = op.on_device()) return ResidentBlock(device->scattered(x, samples));
  return ResidentBlock(scatter_samples(op.shared_rows(), x, samples, op.size()));
}

ResidentBlock ResidentBlock::of(const LinearOperator& op, Matrix x) {
  if (const auto device = op.on_device()) return ResidentBlock(device->uploaded(x));
  return ResidentBlock(std::move(x));
}

Index ResidentBlock::columns() const {
  return device_ ? device_->columns() : host_ ? host_->cols() : 0;
}

ConstMatrixRef ResidentBlock::host_rows() {
  if (host_) return *host_;
  if (const auto rows = device_->in_place()) return *rows;
  return host_.emplace(device_->downloaded());
}

Matrix ResidentBlock::to_host() const& {
  if (host_) return *host_;
  return device_ ? device_->downloaded() : Matrix();
}

Matrix ResidentBlock::to_host() && {
  if (host_) return std::move(*host_);
  if (!device_) return {};
  return device_.use_count() == 1 ? device_->release() : device_->downloaded();
}

Matrix ResidentBlock::rows_at(const SharedRows* rows, std::span<const Index> samples) const {
  return device_ ? device_->rows_at(samples) : gather_samples(rows, *host_, samples);
}

Matrix ResidentBlock::own_rows_at(std::span<const Index> samples) const {
  if (host_) return gather_rows(*host_, samples);
  if (const auto rows = device_->in_place()) return gather_rows(*rows, samples);
  return device_->rows_at(samples);
}

ResidentBlock product(const LinearOperator& a, const ResidentBlock& x, double factor) {
  return where(
      a, x,
      [&](const DeviceOperator& device, const DeviceBlock& block) {
        return ResidentBlock(device.image(factor, block, /*roughly=*/false));
      },
      [&](const Matrix& block) {
        Matrix y = product(a, block);
        if (factor != 1.0) y *= factor;
        return ResidentBlock(std::move(y));
      });
}

ResidentBlock product_roughly(const LinearOperator& a, const ResidentBlock& x) {
  return where(
      a, x,
      [&](const DeviceOperator& device, const DeviceBlock& block) {
        return ResidentBlock(device.image(1.0, block, /*roughly=*/true));
      },
      [&](const Matrix& block) {
        Matrix y(block.rows(), block.cols());
        a.apply_roughly(block, y);
        return ResidentBlock(std::move(y));
      });
}

ResidentBlock apply_polynomial(const LinearOperator& a, const std::vector<double>& coefficients,
                               const ResidentBlock& x, int threads) {
  return where(
      a, x,
      [&](const DeviceOperator& device, const DeviceBlock& block) {
        return ResidentBlock(device.polynomial_image(coefficients, block, threads));
      },
      [&](const Matrix& block) {
        Matrix y(block.rows(), block.cols());
        apply_polynomial<Matrix>(a, coefficients, block, y, nullptr, threads);
        return ResidentBlock(std::move(y));
      });
}

ResidentBlock apply_chebyshev(const LinearOperator& a, const ChebyshevSeries& g,
                              const ResidentBlock& x, int threads) {
  return where(
      a, x,
      [&](const DeviceOperator& device, const DeviceBlock& block) {
        return ResidentBlock(device.chebyshev_image(g, block, threads));
      },
      [&](const Matrix& block) {
        Matrix y(block.rows(), block.cols());
        apply_chebyshev<Matrix>(a, g, block, y, threads);
        return ResidentBlock(std::move(y));
      });
}

ResidentSolve solve_cg(const LinearOperator& a, const ResidentBlock& b, const ResidentBlock* start,
                       const CgOptions& options, const Context& context) {
  PlacedBlock initial(start);
  return where(
      a, b,
      [&](const DeviceOperator& device, const DeviceBlock& block) {
        ResidentSolve result;
        result.solution = ResidentBlock(
            device.solve_cg(block, initial.on_device(device), options, context, result.summary));
        return result;
      },
      [&](const Matrix& block) {
        CgOptions own = options;
        own.initial = initial.on_host();
        SolveResult result = solve_cg<Matrix>(a, block, own, context);
        return ResidentSolve{ResidentBlock(std::move(result.solution)), std::move(result.summary)};
      });
}

ResidentSolve solve_minres(const LinearOperator& a, const ResidentBlock& b,
                           const ResidentBlock* start, const SolverOptions& options,
                           const Context& context) {
  PlacedBlock initial(start);
  return where(
      a, b,
      [&](const DeviceOperator& device, const DeviceBlock& block) {
        ResidentSolve result;
        result.solution = ResidentBlock(device.solve_minres(block, initial.on_device(device),
                                                            options, context, result.summary));
        return result;
      },
      [&](const Matrix& block) {
        SolverOptions own = options;
        own.initial = initial.on_host();
        SolveResult result = solve_minres<Matrix>(a, block, own, context);
        return ResidentSolve{ResidentBlock(std::move(result.solution)), std::move(result.summary)};
      });
}

ResidentBlock combination(const LinearOperator& op, double a, const ResidentBlock& x, double b,
                          const ResidentBlock& y, int threads) {
  const auto device = x.on_device() && y.on_device() ? op.on_device() : nullptr;
  if (device) return ResidentBlock(device->combination(a, *x.on_device(), b, *y.on_device()));
  Matrix result = y.to_host();
  axpby(a, *PlacedBlock(&x).on_host(), b, result, threads);
  return ResidentBlock(std::move(result));
}

ResidentBlock with_scaled_rows(const LinearOperator& op, ConstMatrixRef w, ResidentBlock x,
                               int threads) {
  const auto device = x.on_device() ? op.on_device() : nullptr;
  if (device) return ResidentBlock(device->with_scaled_rows(w, *x.on_device()));
  Matrix result = std::move(x).to_host();
  scale_rows(w, result, result, threads);
  return ResidentBlock(std::move(result));
}

}  // namespace stkr
