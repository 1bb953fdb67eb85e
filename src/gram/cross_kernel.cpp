#include "stkr/gram/cross_kernel.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cross_kernels.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

std::string describe(const NewSamples& samples) {
  if (const auto* matrix = std::get_if<Matrix>(&samples.data)) {
    return fmt::format("a dense {} x {} matrix", matrix->rows(), matrix->cols());
  }
  if (const auto* csr = std::get_if<CsrMatrix>(&samples.data)) {
    return fmt::format("a sparse {} x {} matrix", csr->rows, csr->cols);
  }
  return fmt::format("{} parts", std::get<std::vector<NewSamples>>(samples.data).size());
}

template <class Wanted>
const Wanted& expect(const NewSamples& samples, const char* who, const char* expected) {
  const auto* found = std::get_if<Wanted>(&samples.data);
  if (found == nullptr) {
    throw ValueError(
        fmt::format("{}: the new samples are {}; expected {}", who, describe(samples), expected));
  }
  return *found;
}

}  // namespace

NewSamples NewSamples::slice(Index first, Index count) const {
  if (const auto* rows = std::get_if<Matrix>(&data)) return {rows->middleRows(first, count).eval()};
  if (const auto* parts = std::get_if<std::vector<NewSamples>>(&data)) {
    std::vector<NewSamples> slices;
    for (const NewSamples& part : *parts) slices.push_back(part.slice(first, count));
    return {std::move(slices)};
  }
  return {row_slice(std::get<CsrMatrix>(data), first, count)};
}

Index NewSamples::count() const {
  if (const auto* matrix = std::get_if<Matrix>(&data)) return matrix->rows();
  if (const auto* csr = std::get_if<CsrMatrix>(&data)) return csr->rows;
  const auto& parts = std::get<std::vector<NewSamples>>(data);
  return parts.empty() ? 0 : parts.front().count();
}

const Matrix& expect_matrix(const NewSamples& samples, const char* who, const char* expected) {
  return expect<Matrix>(samples, who, expected);
}

const CsrMatrix& expect_csr(const NewSamples& samples, const char* who, const char* expected) {
  return expect<CsrMatrix>(samples, who, expected);
}

std::optional<std::vector<Index>> PlacedSamples::nearest(std::span<const Index>) const {
  return std::nullopt;
}

std::optional<std::vector<Index>> CrossKernel::nearest(std::span<const Index>,
                                                       std::span<const Index>) const {
  return std::nullopt;
}

Matrix CrossKernel::apply(const NewSamples& samples, ConstMatrixRef c) const {
  return place(samples)->apply(c);
}

void check_coefficients(const CrossKernel& cross, ConstMatrixRef c, const char* who) {
  if (c.rows() != cross.known()) {
    throw ShapeError(fmt::format("{}: c has {} rows; expected {}, one per known sample", who,
                                 c.rows(), cross.known()));
  }
}

Index load_count(CrossKernelSource& source, const char* name) {
  const double value = source.number(name);
  if (!(value >= 0.0 && value < 2147483648.0) || value != std::floor(value)) {
    throw DataError(
        fmt::format("saved kernel: {} is {}; expected a non-negative integer", name, value));
  }
  return static_cast<Index>(value);
}

Vector load_vector(CrossKernelSource& source, const char* name) {
  const auto array = source.array(name);
  const auto* matrix = std::get_if<Matrix>(&array);
  if (matrix == nullptr || matrix->rows() != 1) {
    throw DataError(fmt::format("saved kernel: '{}' must be a row of doubles", name));
  }
  return matrix->row(0).transpose();
}

void save_vector(CrossKernelSink& sink, const char* name, const Vector& values) {
  sink.array(name, 1, values.size(), std::span<const double>(values.data(), values.size()));
}

std::unique_ptr<CrossKernel> load_cross_kernel(CrossKernelSource& source) {
  // Names are spelled as in the first models.
  const std::string kind = source.text("kind");
  try {
    if (kind == "points") return load_point_cross_kernel(source);
    if (kind == "graph") return load_graph_cross_kernel(source);
    if (kind == "dense") return load_dense_cross_kernel(source);
    if (kind == "centred") return load_centered_cross_kernel(source);
    if (kind == "normalized") return load_normalized_cross_kernel(source);
    if (kind == "weighted") return load_weighted_cross_kernel(source);
    if (kind == "sum") return load_sum_cross_kernel(source);
    if (kind == "neighbours") return load_neighbor_cross_kernel(source);
  } catch (const ShapeError& error) {
    // An inconsistent file is bad data, not a wrong argument.
    throw DataError(error.what());
  } catch (const ValueError& error) {
    throw DataError(error.what());
  }
  throw DataError(fmt::format("saved kernel: unknown kind '{}'", kind));
}

}  // namespace stkr
