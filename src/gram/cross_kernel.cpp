#include "stkr/gram/cross_kernel.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "cross_kernels.hpp"
#include "stkr/error.hpp"
#include "stkr/kernel/kernel.hpp"

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

// Kinds are spelled as in the first models.
constexpr std::array<std::pair<std::string_view, LibraryLoader*>, 15> library_loaders{{
    {"points", load_point_cross_kernel},
    {"sparse_points", load_point_cross_kernel},
    {"custom_points", load_custom_point_cross_kernel},
    {"sparse_custom_points", load_custom_point_cross_kernel},
    {"graph", load_graph_cross_kernel},
    {"dense", load_dense_cross_kernel},
    {"centred", load_centered_cross_kernel},
    {"normalized", load_normalized_cross_kernel},
    {"weighted", load_weighted_cross_kernel},
    {"sum", load_sum_cross_kernel},
    {"neighbours", load_neighbor_cross_kernel},
    {"neighbors in principal components", load_projected_neighbor_cross_kernel},
    {"sparse_neighbors", load_neighbor_cross_kernel},
    {"smoothed", load_smoothed_cross_kernel},
    {"smoothed_points", load_smoothed_point_cross_kernel},
}};

LibraryLoader* library_loader(std::string_view kind) {
  for (const auto& [name, load] : library_loaders) {
    if (name == kind) return load;
  }
  return nullptr;
}

void check_new(const char* who, const char* what, const std::string& name, bool in_library,
               bool added, bool callable) {
  if (name.empty()) throw ValueError(fmt::format("{}: the name is empty", who));
  if (!callable) throw ValueError(fmt::format("{}: the function for '{}' is empty", who, name));
  if (in_library || added) {
    throw ValueError(fmt::format("{}: the {} '{}' {}; choose another name", who, what, name,
                                 in_library ? "is one of the library" : "was added before"));
  }
}

// Calls a function of the user. What map::at, std::get and the like throw if a file lacks what they
// look for becomes a DataError.
template <class Call>
auto call_registered(const std::string& name, Call&& call) {
  const auto failed = [&](const std::exception& error) {
    return DataError(fmt::format(
        "saved kernel: the function registered for '{}' failed ({}); it expects other data than "
        "the file contains",
        name, error.what()));
  };
  try {
    return call();
  } catch (const std::logic_error& error) {
    throw failed(error);
  } catch (const std::bad_variant_access& error) {
    throw failed(error);
  }
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

FeatureMatrix expect_points(const NewSamples& samples, const char* who) {
  if (const auto* sparse = std::get_if<CsrMatrix>(&samples.data)) {
    return std::shared_ptr<const CsrMatrix>(std::shared_ptr<const void>(), sparse);
  }
  const Matrix& dense = expect<Matrix>(samples, who, "points, one row each");
  return SharedMatrix(dense.data(), dense.rows(), dense.cols(), nullptr);
}

std::optional<Vector> PlacedSamples::diagonal() const {
  const std::optional<Matrix> all = among();
  if (!all) return std::nullopt;
  return Vector(all->diagonal());
}

std::optional<std::vector<Index>> PlacedSamples::nearest(std::span<const Index>) const {
  return std::nullopt;
}

std::optional<std::vector<Index>> CrossKernel::nearest(std::span<const Index>,
                                                       std::span<const Index>) const {
  return std::nullopt;
}

Matrix PlacedSamples::apply_scaled(const Vector& scale, ConstMatrixRef c) const {
  const Matrix scaled = scale.asDiagonal() * c;
  return apply(scaled);
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

std::vector<std::int32_t> row_counts(const CsrMatrix& matrix) {
  std::vector<std::int32_t> counts(matrix.rows);
  for (Index i = 0; i < matrix.rows; ++i) {
    counts[i] = static_cast<std::int32_t>(matrix.row_start[i + 1] - matrix.row_start[i]);
  }
  return counts;
}

void save_csr(CrossKernelSink& sink, const std::string& name, const CsrMatrix& matrix,
              const std::vector<std::int32_t>& counts) {
  sink.number(name + "_columns", static_cast<double>(matrix.cols));
  sink.indices(name + "_counts", counts);
  sink.indices(name + "_column", matrix.column);
  sink.array(name + "_value", 1, matrix.entries(), std::span<const double>(matrix.value));
}

CsrMatrix load_csr(CrossKernelSource& source, const std::string& name) {
  CsrMatrix matrix;
  matrix.cols = load_count(source, (name + "_columns").c_str());
  matrix.row_start.push_back(0);
  for (const std::int32_t count : source.indices(name + "_counts")) {
    matrix.row_start.push_back(matrix.row_start.back() + count);
  }
  matrix.rows = static_cast<Index>(matrix.row_start.size()) - 1;
  matrix.column = source.indices(name + "_column");
  const Vector value = load_vector(source, (name + "_value").c_str());
  matrix.value.assign(value.data(), value.data() + value.size());
  check_csr(matrix, "saved sparse matrix");
  return matrix;
}

std::unique_ptr<CrossKernel> load_part(CrossKernelSource& source,
                                       const CrossKernelRegistry& registry, std::string_view name) {
  return load_cross_kernel(*source.part(name), registry);
}

CrossKernelRegistry& CrossKernelRegistry::add(std::string kind, CrossKernelLoader loader) {
  check_new("CrossKernelRegistry::add", "kind", kind, library_loader(kind) != nullptr,
            loaders_.contains(kind), static_cast<bool>(loader));
  loaders_.emplace(std::move(kind), std::move(loader));
  return *this;
}

CrossKernelRegistry& CrossKernelRegistry::add_kernel(std::string name, CustomKernelMaker make) {
  check_new("CrossKernelRegistry::add_kernel", "kernel", name, is_kernel_name(name),
            kernels_.contains(name), static_cast<bool>(make));
  kernels_.emplace(std::move(name), std::move(make));
  return *this;
}

const CrossKernelLoader& CrossKernelRegistry::loader(const std::string& kind) const {
  const auto found = loaders_.find(kind);
  if (found != loaders_.end()) return found->second;
  std::string known;
  for (const auto& [name, load] : library_loaders) known += fmt::format("{}, ", name);
  for (const auto& [name, load] : loaders_) known += fmt::format("{}, ", name);
  throw DataError(
      fmt::format("saved kernel: unknown kind '{}'; expected one of {}or a kind of your own, whose "
                  "loader must be registered: CrossKernelRegistry::add(\"{}\", loader), passed to "
                  "Model::load",
                  kind, known, kind));
}

CustomKernel CrossKernelRegistry::kernel(const std::string& name,
                                         const std::map<std::string, double>& parameters) const {
  const auto found = kernels_.find(name);
  if (found == kernels_.end()) {
    throw DataError(fmt::format(
        "saved kernel: '{}' is a custom kernel, which only the program that defines it can load: "
        "CrossKernelRegistry::add_kernel(\"{}\", make), passed to Model::load",
        name, name));
  }
  CustomKernel kernel = call_registered(name, [&] { return found->second(parameters); });
  if (kernel.name != name) {
    throw DataError(
        fmt::format("saved kernel: the function registered for '{}' returned a kernel named '{}'; "
                    "expected the same name",
                    name, kernel.name));
  }
  return kernel;
}

std::unique_ptr<CrossKernel> load_cross_kernel(CrossKernelSource& source,
                                               const CrossKernelRegistry& registry) {
  const std::string kind = source.text("kind");
  try {
    if (LibraryLoader* load = library_loader(kind)) return load(source, registry);
    const CrossKernelLoader& load = registry.loader(kind);
    if (auto cross = call_registered(kind, [&] { return load(source, registry); })) return cross;
  } catch (const ShapeError& error) {
    // An inconsistent file is bad data, not a wrong argument.
    throw DataError(error.what());
  } catch (const ValueError& error) {
    throw DataError(error.what());
  }
  throw DataError(fmt::format("saved kernel: the loader of kind '{}' returned no kernel", kind));
}

}  // namespace stkr
