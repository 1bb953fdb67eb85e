#include "shared_points.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "dataset/feature_scale.hpp"
#include "dataset/parsed.hpp"
#include "ordered_sum.hpp"
#include "session.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

// Rows [first, first + count) of an array.
Matrix read_rows(NpyArray array, Index first, Index count) {
  const Index rows = array.rows(), columns = array.columns();
  Matrix values(count, columns);
  const auto size = static_cast<std::size_t>(values.size());
  if (!array.header().fortran_order) {
    array.skip(first * columns);
    array.read(std::span(values.data(), size));
    return values;
  }
  if (array.shape().size() > 2) return array.as_matrix().middleRows(first, count);
  Vector column(count);
  for (Index k = 0; k < columns; ++k) {
    array.skip(first);
    array.read(std::span(column.data(), static_cast<std::size_t>(count)));
    array.skip(rows - first - count);
    values.col(k) = column;
  }
  return values;
}

std::string dense_array(const NpzReader& reader, const LoadOptions& options) {
  const detail::NpzLayout found = detail::npz_layout(reader, options);
  if (found.array.empty()) {
    throw ParameterError(fmt::format(
        "{}: the PETSc engine does not support sparse points ({}*) yet; store them as a dense "
        "array X, or run it on one machine",
        reader.shown_path(), found.parts));
  }
  return found.array;
}

// As load_dataset does, with the bits of one machine.
void standardize(const RowLayout& layout, const std::string& where, SharedPoints& points) {
  Matrix rows = points.rows.matrix();
  const Index features = rows.cols();
  TableEncoding& encoding = points.encoding.emplace();
  encoding.center = ordered_sum(layout, features, [&](Vector& sum) { add_points(rows, sum); });
  encoding.center /= static_cast<double>(layout.size());
  const Vector squares = ordered_sum(
      layout, features, [&](Vector& sum) { add_squared_deviations(rows, encoding.center, sum); });
  encoding.scale = feature_scale(encoding.center, squares, layout.size());
  if (!encoding.scale.allFinite() || !encoding.center.allFinite()) {
    throw DataError(fmt::format("{}: the values are too large to be standardized", where));
  }
  encoding.standardize(rows);
  points.rows = std::move(rows);
}

}  // namespace

SharedPoints read_points(MPI_Comm comm, const std::filesystem::path& path,
                         const LoadOptions& options, Index per_class, std::uint64_t seed,
                         Dataset* at_first) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  SharedPoints points;
  std::optional<NpzReader> reader;
  std::string name;
  // Sizes as every process sees them: they may see different files.
  std::vector<Index> sizes(3, 0);
  agree(comm, [&] {
    reader.emplace(path);
    name = dense_array(*reader, options);
    const NpyArray array = reader->array(name);
    sizes = {array.rows(), array.columns(), static_cast<Index>(std::filesystem::file_size(path))};
    if (sizes[0] == 0 || sizes[1] == 0) {
      throw DataError(
          fmt::format("{}: has {} samples and {} features, expected at least one of each",
                      array.where(), sizes[0], sizes[1]));
    }
    if (sizes[0] > std::numeric_limits<std::int32_t>::max()) {
      throw DataError(fmt::format("{}: has {} samples, expected fewer than 2147483648",
                                  array.where(), sizes[0]));
    }
  });
  std::vector<Index> others = sizes;
  MPI_Bcast(others.data(), 3, MPI_INT64_T, 0, comm);
  agree(comm, [&] {
    if (others == sizes) return;
    throw DataError(fmt::format(
        "{}: process {} sees {} points of {} features in {} bytes, the first process {} of {} in "
        "{} bytes; give all nodes the same file",
        path.string(), rank, sizes[0], sizes[1], sizes[2], others[0], others[1], others[2]));
  });
  Layout layout = RowLayout::equal(comm, sizes[0]);
  Dataset labels;
  agree(comm, [&] {
    NpyArray array = reader->array(name);
    const std::string where = array.where();
    Matrix rows = read_rows(std::move(array), layout->first(), layout->count());
    check_finite(rows, where, layout->first());
    points.rows = std::move(rows);
    points.feature_names = detail::optional_names(*reader, "feature_names", sizes[1]);
    if (rank == 0) {
      LoadOptions own = options;
      own.standardize = false;  // of the points, below
      labels = assembled_labels(detail::parse_npz_labels(*reader, own), path, sizes[0], own,
                                per_class, seed);
    }
  });
  if (options.standardize) standardize(*layout, path.string(), points);
  if (at_first) *at_first = labels;
  static_cast<SharedSamples&>(points) = share_samples(std::move(labels), std::move(layout));
  return points;
}

Matrix gathered_rows(const RowLayout& layout, const SharedMatrix& own,
                     std::span<const Index> samples) {
  Matrix rows = Matrix::Zero(static_cast<Index>(samples.size()), own.cols());
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Index row = layout.local(samples[k]);
    if (row < 0) continue;
    own.visit([&](const auto& values) {
      rows.row(static_cast<Index>(k)) = values.row(row).template cast<double>();
    });
  }
  layout.sum(rows);
  return rows;
}

std::string fingerprint(const SharedPoints& points) {
  Crc64 crc;
  append_rows(*points.layout, points.rows.bytes(), crc);
  append_labels(points, crc);
  return fmt::format("crc64:{:016x}", crc.value());
}

}  // namespace stkr::petsc
