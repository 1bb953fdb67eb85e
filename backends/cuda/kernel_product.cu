#include <algorithm>

#include "kernel_product.hpp"
#include "kernel_product_launch.cuh"
#include "kernel_product_vectors.hpp"
#include "packed_points_storage.hpp"
#include "stkr/error.hpp"

namespace stkr::cuda {
namespace {

constexpr std::uint64_t most_strip_bytes = std::uint64_t{1} << 30;
constexpr int most_strips = 32;

// Sums of one strip, of rows (twice if features are streamed) and columns.
std::uint64_t strip_bytes(std::size_t rows, std::size_t columns, std::size_t sum_bytes) {
  return (2 * std::uint64_t{rows} + columns) * vector_width * sum_bytes;
}

int strip_limit(std::uint64_t bytes_per_strip, int distances) {
  const std::uint64_t fitting = std::max<std::uint64_t>(1, most_strip_bytes / bytes_per_strip);
  return static_cast<int>(
      std::min<std::uint64_t>({fitting, most_strips, static_cast<std::uint64_t>(distances)}));
}

// Strips make units shorter, so that all workers have work until the end, but each costs a pass
// over its sums.
template <class MakeSchedule>
TileSchedule best_schedule(int limit, std::size_t padded, MakeSchedule make) {
  TileSchedule best;
  double least = 0.0;
  for (int strips = 1; strips <= limit; ++strips) {
    const TileSchedule schedule = make(strips);
    const int rounds = (schedule.units() + schedule.workers - 1) / schedule.workers;
    const int length = (schedule.distances + schedule.strips - 1) / schedule.strips;
    // In evaluations of one block: starting a unit takes 0.7; the sums of a strip are moved at the
    // speed of memory.
    const double cost = rounds * (length + 0.7) + strips * 1.5e-5 * static_cast<double>(padded);
    if (strips == 1 || cost < least) {
      least = cost;
      best = schedule;
    }
  }
  return best;
}

TileSchedule schedule_for(std::size_t row_padded, std::size_t column_padded, int block,
                          bool symmetric, int workers, std::size_t sum_bytes) {
  const int rows = static_cast<int>(row_padded / block);
  const int columns = static_cast<int>(column_padded / block);
  const int limit = strip_limit(strip_bytes(row_padded, column_padded, sum_bytes), columns);
  return best_schedule(limit, row_padded, [&](int strips) {
    return symmetric ? TileSchedule::symmetric_tiles(rows, workers, strips)
                     : TileSchedule::all_tiles(rows, columns, workers, strips);
  });
}

template <class T>
DeviceArray<T> zeros(std::size_t size) {
  DeviceArray<T> array(size);
  if (size > 0) check(cudaMemsetAsync(array.data(), 0, size * sizeof(T), nullptr), "clearing sums");
  return array;
}

// What all ways to multiply share.
struct Product {
  const PackedPoints& rows;
  const PackedPoints& columns;
  bool symmetric;
  const double* v;
  std::size_t ldv;
  int count;  // columns of v
  double* y;
  std::size_t ldy;
  double scale;

  const PackedStorage& row_storage() const { return rows.storage(); }
  const PackedStorage& column_storage() const { return columns.storage(); }
  VectorBlock block(int first) const {
    return {v,
            ldv,
            columns.count(),
            first,
            std::min(vector_width, count - first),
            column_storage().weights.data()};
  }
};

template <class Sum>
void multiply_half(const Product& product) {
  constexpr int halves = sizeof(Sum) == 4 ? 1 : 2;
  const PackedStorage& a = product.row_storage();
  const PackedStorage& b = product.column_storage();
  const std::size_t features = a.half.features;
  const bool streamed = features > (halves == 1 ? most_resident_half : most_resident_half3);
  const int workers =
      streamed ? streamed_clusters(product.rows.precision()) : device_multiprocessors();
  const TileSchedule schedule =
      schedule_for(a.rows, b.rows, tile_rows, product.symmetric, workers, sizeof(Sum));
  const int row_parts = streamed ? 2 * schedule.strips : schedule.strips;
  const std::size_t tiles = static_cast<std::size_t>(schedule.strips) * (b.rows / 64);
  DeviceArray<std::uint16_t> vectors(b.rows * vector_width * halves);
  DeviceArray<unsigned long long> largest(vector_width);
  DeviceArray<double> scales(vector_width);
  for (int first = 0; first < product.count; first += vector_width) {
    const VectorBlock block = product.block(first);
    scale_vectors(block, largest.data(), scales.data());
    pack_vectors(block, scales.data(), halves, b.rows, vectors.data());
    auto row_sums = zeros<Sum>(row_parts * a.rows * vector_width);
    auto column_sums = zeros<Sum>(product.symmetric ? schedule.strips * a.rows * vector_width : 0);
    auto turns = zeros<unsigned>(tiles);
    const TileProblem<Sum> problem{a.leading.data(),
                                   a.trailing.data(),
                                   b.leading.data(),
                                   b.trailing.data(),
                                   vectors.data(),
                                   vectors.data(),
                                   row_sums.data(),
                                   column_sums.data(),
                                   turns.data(),
                                   static_cast<std::uint32_t>(a.rows),
                                   static_cast<std::uint32_t>(b.rows),
                                   static_cast<int>(features / 64),
                                   schedule,
                                   FormulaOnDevice::of(product.rows.formula())};
    if constexpr (halves == 1) {
      streamed ? launch_half_streamed(problem) : launch_half(problem, features);
    } else {
      streamed ? launch_half3_streamed(problem) : launch_half3(problem, features);
    }
    const SumBlock<Sum> sums{
        row_sums.data(), column_sums.data(), row_parts,        schedule.strips,
        a.rows,          scales.data(),      a.weights.data(), product.scale / (1 << kernel_shift)};
    store_sums(sums, product.rows.count(), first, block.columns, product.y, product.ldy);
  }
}

void multiply_full(const Product& product) {
  const PackedStorage& a = product.row_storage();
  const PackedStorage& b = product.column_storage();
  const TileSchedule schedule = schedule_for(a.rows, b.rows, full_rows, product.symmetric,
                                             2 * device_multiprocessors(), sizeof(double));
  const std::size_t tiles = static_cast<std::size_t>(schedule.strips) * (b.rows / full_columns);
  DeviceArray<double> vectors(b.rows * vector_width);
  for (int first = 0; first < product.count; first += vector_width) {
    const VectorBlock block = product.block(first);
    pack_vectors(block, b.rows, vectors.data());
    DeviceArray<double> row_sums(schedule.strips * a.rows * vector_width);
    auto column_sums = zeros<double>(product.symmetric ? row_sums.size() : 0);
    auto turns = zeros<unsigned>(tiles);
    const FullProblem problem{a.values64.data(),
                              b.values64.data(),
                              a.norms.data(),
                              b.norms.data(),
                              vectors.data(),
                              vectors.data(),
                              row_sums.data(),
                              column_sums.data(),
                              turns.data(),
                              a.rows,
                              b.rows,
                              static_cast<int>(a.full.features / 16),
                              schedule,
                              FormulaOnDevice::of(product.rows.formula())};
    launch_full(problem);
    const SumBlock<double> sums{
        row_sums.data(), column_sums.data(), schedule.strips, schedule.strips, a.rows,
        nullptr,         a.weights.data(),   product.scale};
    store_sums(sums, product.rows.count(), first, block.columns, product.y, product.ldy);
  }
}

// On CUDA cores, or as a product of thin matrices.
void multiply_plain(const Product& product) {
  const PackedStorage& a = product.row_storage();
  const PackedStorage& b = product.column_storage();
  const bool thin = product.rows.layout() == PackedLayout::features32 ||
                    product.rows.layout() == PackedLayout::features64;
  const std::size_t blocks = a.rows / 64;
  const std::size_t wanted = 8 * static_cast<std::size_t>(device_multiprocessors());
  const int limit = strip_limit(strip_bytes(a.rows, 0, sizeof(double)), most_strips);
  const int strips =
      thin ? 1 : static_cast<int>(std::clamp<std::size_t>(wanted / blocks, 1, limit));
  DeviceArray<double> vectors(b.rows * vector_width);
  DeviceArray<double> row_sums(strips * a.rows * vector_width);
  DeviceArray<double> workspace(thin ? (feature_parts(product.columns.count()) + 1) *
                                           product.rows.features() * vector_width
                                     : 0);
  for (int first = 0; first < product.count; first += vector_width) {
    const VectorBlock block = product.block(first);
    pack_vectors(block, b.rows, vectors.data());
    if (thin) {
      feature_product(product.rows, product.columns, vectors.data(), workspace.data(),
                      row_sums.data());
    } else {
      plain_product(product.rows, product.columns, vectors.data(), strips, row_sums.data());
    }
    const SumBlock<double> sums{row_sums.data(), nullptr, strips,           0,
                                a.rows,          nullptr, a.weights.data(), product.scale};
    store_sums(sums, product.rows.count(), first, block.columns, product.y, product.ldy);
  }
}

void multiply(const Product& product) {
  if (product.count < 0 || product.ldv < static_cast<std::size_t>(product.count) ||
      product.ldy < static_cast<std::size_t>(product.count)) {
    throw ShapeError("kernel product: rows of v and y are shorter than the number of columns");
  }
  switch (product.rows.layout()) {
    case PackedLayout::half_tiles:
      return product.rows.precision() == ProductPrecision::half ? multiply_half<float>(product)
                                                                : multiply_half<double>(product);
    case PackedLayout::full_tiles:
      return multiply_full(product);
    default:
      return multiply_plain(product);
  }
}

}  // namespace

void symmetric_product(const PackedPoints& points, const double* v, std::size_t ldv, int columns,
                       double* y, std::size_t ldy, double scale) {
  multiply({points, points, true, v, ldv, columns, y, ldy, scale});
}

void cross_product(const PackedPoints& rows, const PackedPoints& columns_of_kernel, const double* v,
                   std::size_t ldv, int columns, double* y, std::size_t ldy, double scale) {
  if (rows.features() != columns_of_kernel.features() ||
      rows.layout() != columns_of_kernel.layout() ||
      rows.precision() != columns_of_kernel.precision() ||
      rows.formula() != columns_of_kernel.formula() ||
      rows.storage().center != columns_of_kernel.storage().center) {
    throw ValueError("cross_product: pack the points of one side like those of the other");
  }
  multiply({rows, columns_of_kernel, false, v, ldv, columns, y, ldy, scale});
}

std::uint64_t product_workspace_bytes(std::size_t rows, std::size_t columns_of_kernel,
                                      std::size_t features, const KernelFormula& formula,
                                      ProductPrecision precision) {
  const std::size_t a = rounded_up(rows, packed_row_block);
  const std::size_t b = rounded_up(columns_of_kernel, packed_row_block);
  const bool thin = formula.kind == FormulaKind::linear || formula.kind == FormulaKind::cosine;
  // CUDA cores sum in double whatever the precision, but for rows only.
  const std::uint64_t strip = strip_bytes(a, b, precision == ProductPrecision::half ? 4 : 8);
  const std::uint64_t strips = std::max(strip, std::min(most_strips * strip, most_strip_bytes));
  const std::uint64_t vectors = std::uint64_t{b} * vector_width * 8;
  const std::uint64_t parts =
      thin ? std::uint64_t(feature_parts(columns_of_kernel) + 1) * features * vector_width * 8 : 0;
  const std::uint64_t turns = std::uint64_t{most_strips} * (b / 64) * 4;
  return strips + vectors + parts + turns + 4096;
}

}  // namespace stkr::cuda
