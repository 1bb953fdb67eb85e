#pragma once

#include <memory>
#include <optional>

#include "stkr/gram/gram_operator.hpp"
#include "stkr/linop/csr_matrix.hpp"
#include "stkr/runtime/device.hpp"

namespace stkr {

// How edge weights W and degrees D_i = Σ_j W_ij define a kernel. N is the number of nodes.
enum class GraphNormalization {
  symmetric,    // K = N·W/√(D D'), S = D^-1/2 W D^-1/2: the kernel of the paper's experiments
  probability,  // K = Tr(D)·D⁻¹ W D⁻¹, the kernel of the paper's proposition on p(x_i) ∝ D_i
  lazy_walk,    // S = (I + D^-1/2 W D^-1/2)/2, K = N·S: positive semidefinite for every graph
  adjacency,    // K = W
};

struct GraphGramOptions {
  GraphNormalization normalization = GraphNormalization::symmetric;
  bool add_self_loops = false;  // W + I instead of W
  bool symmetrize = false;      // max(W, Wᵀ) instead of rejecting an asymmetric W
  int threads = 0;              // 0: all cores
  Device device{};              // where products and solvers run
};

// What placing new nodes needs: the degrees, not the graph.
struct GraphDegrees {
  GraphNormalization normalization = GraphNormalization::symmetric;
  bool self_loops = false;
  Vector degree;  // D_i, including an added self-loop
};

// S of a graph with non-negative weights. A node without edges has a zero row (S_ii = 1/2 in the
// lazy walk).
class GraphGram : public GramOperator {
 public:
  // Throws ShapeError unless `weights` is square, ValueError if a weight is negative or not finite
  // or if W is not symmetric; the message names the edge.
  explicit GraphGram(CsrMatrix weights, const GraphGramOptions& options = {});

  Index size() const override { return s_.rows; }
  void apply(ConstMatrixRef x, MatrixRef y) const override;
  void apply_step(double a, ConstMatrixRef x, double b, double c, MatrixRef y) const override;
  Index panel_columns() const override;
  std::shared_ptr<const DeviceOperator> on_device() const override { return on_device_; }
  Matrix block(std::span<const Index> rows, std::span<const Index> columns) const override;
  // An explicit sparse block, so that a product accesses nothing else.
  std::unique_ptr<LinearOperator> restricted(std::vector<Index> samples,
                                             double scale) const override;
  SpectrumBounds bounds() const override { return bounds_; }
  bool nonnegative() const override { return true; }
  bool sparse() const override { return true; }
  double self_term() const override { return diagonal(); }
  std::optional<Vector> squared_row_norms(std::span<const Index> samples) const override;
  std::vector<char> reached(const std::vector<char>& from, int steps) const override;
  // √D on each connected component, for λ = 1 (symmetric and lazy walk).
  const KnownEigenspace* known_eigenspace() const override {
    return eigenspace_ ? &*eigenspace_ : nullptr;
  }
  bool knows_components() const override { return eigenspace_.has_value(); }
  std::unique_ptr<CrossKernel> cross_kernel() const override;

  const Vector& degrees() const { return degrees_.degree; }
  const GraphDegrees& node_degrees() const { return degrees_; }
  GraphNormalization normalization() const { return degrees_.normalization; }

 private:
  double diagonal() const { return normalization() == GraphNormalization::lazy_walk ? 0.5 : 0.0; }

  CsrMatrix s_;  // S without the I/2 of the lazy walk
  GraphDegrees degrees_;
  SpectrumBounds bounds_;
  std::optional<KnownEigenspace> eigenspace_;
  int threads_;
  Device device_;
  std::shared_ptr<const DeviceOperator> on_device_;  // null: the CPU
};

// K(new nodes, known nodes) from the M × N edges between them. D(x) of a new node counts its edges
// to known nodes (paper, inductive setting), plus 1 if self-loops were added. A new node without
// edges has a zero row. New nodes are distinct from the known ones: the I of the lazy walk and the
// added self-loops do not appear in their rows; the former is the self_term.
class GraphCrossKernel final : public CrossKernel {
 public:
  GraphCrossKernel(GraphDegrees degrees, int threads);

  Index known() const override { return degrees_.degree.size(); }
  double self_term() const override {
    return degrees_.normalization == GraphNormalization::lazy_walk ? 0.5 : 0.0;
  }
  std::unique_ptr<PlacedSamples> place(const NewSamples& samples) const override;
  void save(CrossKernelSink& sink) const override;

 private:
  GraphDegrees degrees_;
  int threads_;
};

}  // namespace stkr
