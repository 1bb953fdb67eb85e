#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "stkr/dataset/dataset.hpp"
#include "stkr/gram/neighbor_graph.hpp"
#include "stkr/kernel/kernel.hpp"

namespace stkr {

// ℓ of a point kernel: a number, a multiple of the default for the data, or the median distance
// between points.
struct LengthScale {
  double value = 1.0;
  bool relative = true;  // in units of the data's default
  bool median = false;   // use the median distance between points and ignore `value`

  static LengthScale absolute(double value) { return {value, false, false}; }
  bool is_default() const { return *this == LengthScale{}; }
  bool operator==(const LengthScale&) const = default;
};

// A kernel of points.
struct PointKernelSpec {
  Kernel kernel = Kernel::rbf(1.0);  // its ℓ is replaced by the one below
  LengthScale length_scale{};        // ignored by kernels without one
  std::optional<bool> normalize{};  // K/√(d d'), so that λ₁ = 1; none: if K ≥ 0 for all points
  // k: of node features averaged k times over the graph (gram/smoothed_features).
  Index smoothing = 0;
  // Whether K is linear in the features, so that products need only these, not K(x, x') of all
  // pairs. Degrees (`normalize`) then change little: with cosine and k = 2, Cora with 20 labels per
  // class has 80.4 % without and 80.2 % with them (s(λ) = λ), CiteSeer 69.5 % and 70.1 %.
  bool has_factors() const {
    return kernel.kind() == KernelKind::linear || kernel.kind() == KernelKind::cosine;
  }
  bool operator==(const PointKernelSpec&) const = default;
};

// The lazy walk on the graph of nearest neighbors.
struct NeighborGraphSpec {
  std::optional<Index> neighbors{};  // k; none: 10, or all others if there are fewer
  EdgeWeight weight = EdgeWeight::self_tuning;
  EdgeRule rule = EdgeRule::either;
  std::optional<double> length_scale{};  // of heat edges; none: from the data
  double recall = 1.0;                   // below 1: approximate neighbors
  Index components = 0;                  // principal components to search in; 0: all features
  bool operator==(const NeighborGraphSpec&) const = default;
};

// A kernel of a graph's nodes.
struct GraphKernelSpec {
  GraphNormalization normalization = GraphNormalization::lazy_walk;
  bool self_loops = false;          // W + I instead of W
  std::optional<bool> normalize{};  // as for points; none: no
  bool operator==(const GraphKernelSpec&) const = default;
};

// The values of the kernel themselves are the data.
struct PrecomputedKernelSpec {
  std::optional<bool> normalize{};  // as for points; none: no
  bool operator==(const PrecomputedKernelSpec&) const = default;
};

// The default for the kind of data: rbf for points, the lazy walk for graphs.
struct AutomaticKernelSpec {
  LengthScale length_scale{};
  std::optional<bool> normalize{};
  bool self_loops = false;
  bool operator==(const AutomaticKernelSpec&) const = default;
};

// What kernel, and its traits as far as they follow from that alone.
//
//   spec.kernel = stkr::Kernel::matern32(0.5);
//   spec.kernel = stkr::PointKernelSpec{.length_scale = {.value = 2.0}};  // twice the default
//   spec.kernel = stkr::NeighborGraphSpec{.neighbors = 15};
//   spec.kernel = stkr::GraphKernelSpec{stkr::GraphNormalization::symmetric};
class KernelSpec {
 public:
  using Form = std::variant<AutomaticKernelSpec, PointKernelSpec, NeighborGraphSpec,
                            GraphKernelSpec, PrecomputedKernelSpec>;

  KernelSpec();
  KernelSpec(const Kernel& kernel);
  KernelSpec(AutomaticKernelSpec form);
  KernelSpec(PointKernelSpec form);
  KernelSpec(NeighborGraphSpec form);
  KernelSpec(GraphKernelSpec form);
  KernelSpec(PrecomputedKernelSpec form);
  // In the source, because copies of a variant take long to compile wherever one is made.
  KernelSpec(const KernelSpec&);
  KernelSpec(KernelSpec&&) noexcept;
  KernelSpec& operator=(const KernelSpec&);
  KernelSpec& operator=(KernelSpec&&) noexcept;
  ~KernelSpec();

  const Form& form() const { return form_; }
  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&form_);
  }
  template <class T>
  T* get_if() {
    return std::get_if<T>(&form_);
  }
  bool operator==(const KernelSpec&) const;

  // This kernel for samples of that kind: the automatic one becomes its default. Throws ValueError
  // if a kernel or a setting does not apply to them.
  KernelSpec resolved(DatasetKind kind) const;

  // Whether samples are points: a point kernel or a neighbor graph.
  bool takes_points() const;
  // Whether the kernel is a function of a graph's edges.
  bool takes_graph() const;
  // k of smoothed node features; 0 for kernels of anything else.
  Index smoothing() const;
  // Whether a length scale applies. The automatic kernel may have one.
  bool has_length_scale() const;
  void set_length_scale(const LengthScale& scale);  // ignored by kernels without one

  // The following are for resolved kernels.

  // Whether few K(x, x') differ from 0, so that a product costs far less than N² operations.
  bool sparse() const;
  // Whether K is positive semidefinite for every set of samples.
  bool positive_semidefinite() const;
  // Whether K is divided by its degrees. Neighbor graphs and walks are normalized by definition.
  bool normalized() const;

 private:
  Form form_;
};

// k of a neighbor graph of so many points.
Index neighbor_count(const NeighborGraphSpec& spec, Index points);

}  // namespace stkr
