#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "cross_kernels.hpp"
#include "gram/gram_names.hpp"
#include "graph_scaling.hpp"
#include "linop/csr_product.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// The name of a graph kernel in files.
std::string saved_name(std::string_view name) {
  std::string saved(name);
  std::replace(saved.begin(), saved.end(), '-', '_');
  return saved;
}

// The factor that a node of degree d contributes to the kernel of its edges.
double node_factor(GraphNormalization normalization, double d) {
  if (normalization == GraphNormalization::adjacency) return 1.0;
  if (d == 0.0) return 0.0;
  return normalization == GraphNormalization::probability ? 1.0 / d : 1.0 / std::sqrt(d);
}

double column_scale(const GraphDegrees& known) {
  return column_scale(known.normalization, static_cast<double>(known.degree.size()),
                      known.degree.sum());
}

// New nodes with their kernel rows.
class PlacedNodes final : public PlacedSamples {
 public:
  PlacedNodes(const CrossKernel& cross, CsrMatrix kernel, Vector own, int threads)
      : cross_(cross), kernel_(std::move(kernel)), own_(std::move(own)), threads_(threads) {}

  Matrix apply(ConstMatrixRef c) const override {
    check_coefficients(cross_, c, "GraphCrossKernel::apply");
    Matrix result(kernel_.rows, c.cols());
    multiply(kernel_, c, result, threads_);
    return result;
  }
  // Few known nodes are neighbors of the new ones: scales the entries, not the rows of c.
  Matrix apply_scaled(const Vector& scale, ConstMatrixRef c) const override {
    if (scale.size() != kernel_.cols) {
      throw ShapeError(fmt::format("GraphCrossKernel::apply_scaled: {} factors for {} known nodes",
                                   scale.size(), kernel_.cols));
    }
    CsrMatrix scaled = kernel_;
    for (std::size_t p = 0; p < scaled.value.size(); ++p) {
      scaled.value[p] *= scale[scaled.column[p]];
    }
    return PlacedNodes(cross_, std::move(scaled), own_, threads_).apply(c);
  }
  std::optional<Matrix> rows() const override {
    Matrix result = Matrix::Zero(kernel_.rows, kernel_.cols);
    for (Index i = 0; i < kernel_.rows; ++i) {
      for (std::int64_t p = kernel_.row_start[i]; p < kernel_.row_start[i + 1]; ++p) {
        result(i, kernel_.column[p]) += kernel_.value[p];
      }
    }
    return result;
  }
  // New nodes have no edges to each other.
  std::optional<Matrix> among() const override { return Matrix(own_.asDiagonal()); }
  std::optional<Vector> diagonal() const override { return own_; }
  bool sparse() const override { return true; }
  // Nodes with the same edges are still different nodes.
  std::optional<Twins> twins() const override {
    return Twins{std::vector<std::int64_t>(kernel_.rows + 1, 0), {}};
  }

 private:
  const CrossKernel& cross_;
  CsrMatrix kernel_;
  Vector own_;  // K°(x, x): of the self-loop, if self-loops were added
  int threads_;
};

}  // namespace

void check_weights(const CsrMatrix& weights, const char* who) {
  for (Index i = 0; i < weights.rows; ++i) {
    for (std::int64_t p = weights.row_start[i]; p < weights.row_start[i + 1]; ++p) {
      if (!(weights.value[p] >= 0.0)) {
        throw ValueError(fmt::format(
            "{}: edge ({}, {}) has weight {}; weights are similarities and must not be negative",
            who, i, weights.column[p], weights.value[p]));
      }
    }
  }
}

void check_degrees(const Vector& degree, const char* node) {
  for (Index i = 0; i < degree.size(); ++i) {
    if (std::isfinite(degree[i])) continue;
    throw ValueError(
        fmt::format("{} {}: its edge weights add up to {}; weights and their sum must be finite, "
                    "so divide all weights by the largest",
                    node, i, degree[i]));
  }
}

void check_kernel_value(double value, Index i, Index j, const char* who) {
  if (std::isfinite(value)) return;
  throw ValueError(
      fmt::format("{}: the kernel of edge ({}, {}) is {}, because the degrees of its ends are too "
                  "small to divide by; divide all weights by the largest",
                  who, i, j, value));
}

double column_scale(GraphNormalization normalization, double nodes, double total) {
  switch (normalization) {
    case GraphNormalization::symmetric:
      return nodes;
    case GraphNormalization::probability:
      return total;  // Tr(D)
    case GraphNormalization::lazy_walk:
      return nodes / 2.0;
    case GraphNormalization::adjacency:
      break;
  }
  return 1.0;
}

Vector row_sums(const CsrMatrix& weights) {
  Vector sums = Vector::Zero(weights.rows);
  for (Index i = 0; i < weights.rows; ++i) {
    for (std::int64_t p = weights.row_start[i]; p < weights.row_start[i + 1]; ++p) {
      sums[i] += weights.value[p];
    }
  }
  return sums;
}

Vector row_factors(GraphNormalization normalization, const Vector& degree) {
  Vector factors(degree.size());
  for (Index i = 0; i < degree.size(); ++i) factors[i] = node_factor(normalization, degree[i]);
  return factors;
}

Vector column_factors(const GraphDegrees& known) {
  return column_scale(known) * row_factors(known.normalization, known.degree);
}

GraphCrossKernel::GraphCrossKernel(GraphDegrees degrees, int threads)
    : degrees_(std::move(degrees)), threads_(threads) {}

std::unique_ptr<PlacedSamples> GraphCrossKernel::place(const NewSamples& samples) const {
  const char* who = "edges of new nodes";
  const CsrMatrix& edges = expect_csr(samples, who, "edges to the known nodes as a sparse matrix");
  if (edges.cols != known()) {
    throw ShapeError(
        fmt::format("{}: the edges are {} x {} for {} known nodes; pass one row per new node and "
                    "one column per known node",
                    who, edges.rows, edges.cols, known()));
  }
  check_csr(edges, who);
  check_weights(edges, who);
  Vector degree = row_sums(edges);
  if (degrees_.self_loops) degree.array() += 1.0;
  check_degrees(degree, "new node");

  // K c = diag(row) W diag(column) c, accessing only the columns of W that occur: new nodes come in
  // small batches, while there may be ten million known ones.
  CsrMatrix kernel = edges;
  Vector own = Vector::Zero(edges.rows);
  const double scale = column_scale(degrees_);
  for (Index i = 0; i < edges.rows; ++i) {
    const double factor = node_factor(degrees_.normalization, degree[i]);
    const double row = scale * factor;
    if (degrees_.self_loops) own[i] = row * factor;
    for (std::int64_t p = edges.row_start[i]; p < edges.row_start[i + 1]; ++p) {
      kernel.value[p] *=
          row * node_factor(degrees_.normalization, degrees_.degree[edges.column[p]]);
      check_kernel_value(kernel.value[p], i, edges.column[p], who);
    }
  }
  return std::make_unique<PlacedNodes>(*this, std::move(kernel), std::move(own), threads_);
}

void GraphCrossKernel::save(CrossKernelSink& sink) const {
  sink.text("kind", "graph");
  for (const auto& [normalization, name] : kGraphKernelNames) {
    if (normalization == degrees_.normalization) sink.text("normalization", saved_name(name));
  }
  sink.number("self_loops", degrees_.self_loops ? 1.0 : 0.0);
  save_vector(sink, "degree", degrees_.degree);
}

std::unique_ptr<CrossKernel> load_graph_cross_kernel(CrossKernelSource& source,
                                                     const CrossKernelRegistry&) {
  const std::string wanted = source.text("normalization");
  for (const auto& [normalization, name] : kGraphKernelNames) {
    if (wanted != saved_name(name)) continue;
    GraphDegrees degrees{normalization, load_count(source, "self_loops") != 0,
                         load_vector(source, "degree")};
    if (!degrees.degree.allFinite() || (degrees.degree.array() < 0.0).any()) {
      throw DataError("saved graph: degrees must be finite and not negative");
    }
    return std::make_unique<GraphCrossKernel>(std::move(degrees), source.threads());
  }
  throw DataError(fmt::format("saved graph: unknown normalization '{}'", wanted));
}

}  // namespace stkr
