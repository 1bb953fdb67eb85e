#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "cross_kernels.hpp"
#include "graph_scaling.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/csr_product.hpp"

namespace stkr {
namespace {

constexpr std::array<std::pair<GraphNormalization, const char*>, 4> names{{
    {GraphNormalization::symmetric, "symmetric"},
    {GraphNormalization::probability, "probability"},
    {GraphNormalization::lazy_walk, "lazy_walk"},
    {GraphNormalization::adjacency, "adjacency"},
}};

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
  for (Index i = 0; i < degree.size(); ++i) {
    const double d = degree[i];
    if (normalization == GraphNormalization::adjacency) {
      factors[i] = 1.0;
    } else if (d == 0.0) {
      factors[i] = 0.0;
    } else {
      factors[i] = normalization == GraphNormalization::probability ? 1.0 / d : 1.0 / std::sqrt(d);
    }
  }
  return factors;
}

Vector column_factors(const GraphDegrees& known) {
  Vector factors = row_factors(known.normalization, known.degree);
  const auto n = static_cast<double>(known.degree.size());
  switch (known.normalization) {
    case GraphNormalization::symmetric:
      factors *= n;
      break;
    case GraphNormalization::probability:
      factors *= known.degree.sum();  // Tr(D)
      break;
    case GraphNormalization::lazy_walk:
      factors *= n / 2.0;
      break;
    case GraphNormalization::adjacency:
      break;
  }
  return factors;
}

GraphCrossKernel::GraphCrossKernel(GraphDegrees degrees, int threads)
    : degrees_(std::move(degrees)), threads_(threads) {}

Matrix GraphCrossKernel::apply(const NewSamples& samples, ConstMatrixRef c) const {
  const char* who = "GraphCrossKernel::apply";
  const CsrMatrix& edges = expect_csr(samples, who, "edges to the known nodes as a sparse matrix");
  check_coefficients(*this, c, who);
  if (edges.cols != known()) {
    throw ShapeError(
        fmt::format("{}: the edges are {} x {} but there are {} known nodes; pass one "
                    "row per new node and one column per known node",
                    who, edges.rows, edges.cols, known()));
  }
  check_csr(edges, who);
  check_weights(edges, who);
  Vector degree = row_sums(edges);
  if (degrees_.self_loops) degree.array() += 1.0;

  // K c = diag(row) W diag(column) c
  const Matrix scaled = column_factors(degrees_).asDiagonal() * c;
  Matrix result(edges.rows, c.cols());
  multiply(edges, scaled, result, threads_);
  return row_factors(degrees_.normalization, degree).asDiagonal() * result;
}

void GraphCrossKernel::save(CrossKernelSink& sink) const {
  sink.text("kind", "graph");
  for (const auto& [normalization, name] : names) {
    if (normalization == degrees_.normalization) sink.text("normalization", name);
  }
  sink.number("self_loops", degrees_.self_loops ? 1.0 : 0.0);
  save_vector(sink, "degree", degrees_.degree);
}

std::unique_ptr<CrossKernel> load_graph_cross_kernel(CrossKernelSource& source) {
  const std::string wanted = source.text("normalization");
  for (const auto& [normalization, name] : names) {
    if (wanted != name) continue;
    GraphDegrees degrees{normalization, load_count(source, "self_loops") != 0,
                         load_vector(source, "degree")};
    if (!degrees.degree.allFinite() || (degrees.degree.array() < 0.0).any()) {
      throw DataError("saved graph: degrees must be finite and not negative");
    }
    return std::make_unique<GraphCrossKernel>(std::move(degrees), source.threads());
  }
  throw DataError(fmt::format("saved graph: normalization '{}' is not known", wanted));
}

}  // namespace stkr
