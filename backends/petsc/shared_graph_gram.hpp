#pragma once

#include <functional>
#include <memory>

#include "halo_matrix.hpp"
#include "linop/device_operator.hpp"
#include "stkr/gram/graph_gram.hpp"

namespace stkr::petsc {

struct SharedGraphOptions {
  GraphNormalization normalization = GraphNormalization::symmetric;
  bool add_self_loops = false;
  int threads = 1;
  // Asked once per product. If it is true in any process, the product throws Cancelled in all.
  std::function<bool()> cancelled{};
};

// What GraphGram is on one machine, with the rows of S shared by processes: every process has its
// rows of everything that has a row per sample (GramOperator).
class SharedGraphGram : public GramOperator {
 public:
  // `weights` has the rows of this process in canonical form, of a symmetric matrix of all
  // processes; its columns are samples of all N. Throws as GraphGram does, in all processes.
  SharedGraphGram(Layout layout, CsrMatrix weights, const SharedGraphOptions& options);

  Index size() const override { return layout_->size(); }
  const SharedRows* shared_rows() const override { return layout_.get(); }
  void apply(ConstMatrixRef x, MatrixRef y) const override { on_device_->apply(x, y); }
  std::shared_ptr<const DeviceOperator> on_device() const override { return on_device_; }
  Matrix block(std::span<const Index> rows, std::span<const Index> columns) const override;
  Matrix columns(std::span<const Index> samples) const override;
  std::unique_ptr<LinearOperator> restricted(std::vector<Index> samples,
                                             double scale) const override;
  SpectrumBounds bounds() const override { return bounds_; }
  bool nonnegative() const override { return true; }
  bool sparse() const override { return true; }
  double self_term() const override { return diagonal_; }
  std::optional<Vector> squared_row_norms(std::span<const Index> samples) const override;
  std::vector<char> reached(const std::vector<char>& from, int steps) const override;
  const KnownEigenspace* known_eigenspace() const override {
    return eigenspace_ ? &*eigenspace_ : nullptr;
  }
  bool knows_components() const override { return eigenspace_.has_value(); }
  // With the degrees of this process: to be saved only.
  std::unique_ptr<CrossKernel> cross_kernel() const override;

  const Vector& degrees() const { return degrees_.degree; }  // of this process
  const GraphDegrees& node_degrees() const { return degrees_; }
  const HaloMatrix& matrix() const { return *s_; }

 private:
  Layout layout_;
  std::shared_ptr<HaloMatrix> s_;  // S without the I/2 of the lazy walk
  double diagonal_ = 0.0;
  GraphDegrees degrees_;
  SpectrumBounds bounds_;
  std::optional<KnownEigenspace> eigenspace_;
  SharedGraphOptions options_;
  std::shared_ptr<const DeviceOperator> on_device_;
};

}  // namespace stkr::petsc
