#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "gram/known_points.hpp"
#include "linop/device_operator.hpp"
#include "shared_kernel_operator.hpp"
#include "shared_nearest.hpp"
#include "stkr/gram/gram_operator.hpp"

namespace stkr::petsc {

struct SharedKernelOptions {
  int threads = 1;
  std::stop_token cancel{};
  std::vector<Index> labeled{};  // of all processes, whose points come to all of them
};

// What PointGram is on one machine, for dense points of which every process has some, in double
// precision.
class SharedKernelGram final : public GramOperator {
 public:
  // `points` has the rows of this process. Called by all; throws in all.
  SharedKernelGram(const Layout& samples, const SharedMatrix& points, const Kernel& kernel,
                   SharedKernelOptions options);

  Index size() const override { return layout_->size(); }
  const SharedRows* shared_rows() const override { return layout_.get(); }
  void apply(ConstMatrixRef x, MatrixRef y) const override { on_device_->apply(x, y); }
  std::shared_ptr<const DeviceOperator> on_device() const override { return on_device_; }
  Matrix block(std::span<const Index> rows, std::span<const Index> columns) const override;
  Matrix columns(std::span<const Index> samples) const override;
  std::unique_ptr<LinearOperator> restricted(std::vector<Index> samples,
                                             double scale) const override;
  SpectrumBounds bounds() const override { return bounds_; }
  bool nonnegative() const override;
  // Called by all processes together, with the same numbers of all samples.
  std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                            std::span<const Index> among) const override;
  // To be saved, and to say which labeled sample is nearest to a row of this process.
  std::unique_ptr<CrossKernel> cross_kernel() const override;

 private:
  using Points = std::shared_ptr<const KnownPoints<double>>;
  SharedKernelGram(Layout samples, Points points, SharedKernelOptions options);
  KnownPoints<double>::Copied gathered(std::span<const Index> samples) const;

  Layout layout_;
  Points points_;
  SharedKernelOptions options_;
  SpectrumBounds bounds_;
  std::shared_ptr<SharedNearest> nearest_;
  std::shared_ptr<const SharedKernelOperator> product_;
  std::shared_ptr<const DeviceOperator> on_device_;
};

}  // namespace stkr::petsc
