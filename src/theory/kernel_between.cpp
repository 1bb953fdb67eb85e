#include "theory/kernel_between.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "stkr/error.hpp"

namespace stkr {
namespace {

// A sample as a mean of known ones.
using Combination = std::vector<Index>;

// K(new, known): M × N.
Matrix rows_of(const PlacedSamples& placed, Index known) {
  if (std::optional<Matrix> rows = placed.rows()) return std::move(*rows);
  // One's own PlacedSamples may know only products.
  constexpr Index columns = 256;
  Matrix result;
  for (Index first = 0; first < known; first += columns) {
    const Index count = std::min(columns, known - first);
    Matrix unit = Matrix::Zero(known, count);
    for (Index j = 0; j < count; ++j) unit(first + j, j) = 1.0;
    const Matrix strip = placed.apply(unit);
    if (first == 0) result.resize(strip.rows(), known);
    result.middleCols(first, count) = strip;
  }
  return result;
}

// The samples sorted by how their kernel rows are found.
struct SortedSamples {
  std::vector<Combination> known;
  std::vector<Index> known_position;
  std::vector<Index> new_row, new_position;  // rows in the placed samples

  void add_new(const PlacedSamples& placed, Index count, Index first) {
    const std::optional<Twins> twins = placed.twins();
    for (Index i = 0; i < count; ++i) {
      if (twins && twins->count(i) > 0) {
        known.emplace_back(twins->sample.begin() + twins->row_start[i],
                           twins->sample.begin() + twins->row_start[i + 1]);
        known_position.push_back(first + i);
      } else {
        new_row.push_back(i);
        new_position.push_back(first + i);
      }
    }
  }
};

double weight_of(const Vector* root, Index i) {
  if (!root) return 1.0;
  return (*root)[i] > 0.0 ? 1.0 / (*root)[i] : 0.0;
}

// A: one column per combination.
Matrix spread(const std::vector<Combination>& combinations, const Vector* root, Index size) {
  Matrix result = Matrix::Zero(size, static_cast<Index>(combinations.size()));
  for (std::size_t k = 0; k < combinations.size(); ++k) {
    for (const Index i : combinations[k]) {
      result(i, k) += weight_of(root, i) / static_cast<double>(combinations[k].size());
    }
  }
  return result;
}

// Aᵀ x
Matrix gathered(const std::vector<Combination>& combinations, const Vector* root, const Matrix& x) {
  Matrix result = Matrix::Zero(static_cast<Index>(combinations.size()), x.cols());
  for (std::size_t k = 0; k < combinations.size(); ++k) {
    for (const Index i : combinations[k]) {
      result.row(k) += weight_of(root, i) / static_cast<double>(combinations[k].size()) * x.row(i);
    }
  }
  return result;
}

void place_block(const Matrix& block, const std::vector<Index>& rows,
                 const std::vector<Index>& columns, Matrix& to) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) to(rows[i], columns[j]) = block(i, j);
  }
}

Matrix chosen(const Matrix& matrix, const std::vector<Index>& rows) {
  Matrix result(static_cast<Index>(rows.size()), matrix.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) result.row(i) = matrix.row(rows[i]);
  return result;
}

// K°(x, x') of the chosen new samples.
Matrix kernel_among(const PlacedSamples& placed, const KernelSamples& samples,
                    const std::vector<Index>& rows) {
  std::optional<Matrix> all = samples.among ? samples.among : placed.among();
  if (!all) {
    throw ValueError(
        "transformed kernel: K among the new samples is not known, because they are given by their "
        "kernel rows; pass it as `among`, one row and column per new sample");
  }
  const Index count = samples.fresh->count();
  if (all->rows() != count || all->cols() != count) {
    throw ShapeError(fmt::format(
        "transformed kernel: K among the new samples is {} x {} for {} new samples; expected one "
        "row and column per new sample",
        all->rows(), all->cols(), count));
  }
  Matrix result(static_cast<Index>(rows.size()), static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) result(i, j) = (*all)(rows[i], rows[j]);
  }
  return result;
}

}  // namespace

TransformedKernel kernel_between(const GramOperator& gram, const KernelSamples& samples,
                                 const KernelAction& action) {
  check_block_indices(gram, samples.known, {}, "transformed kernel");
  const Index count = samples.count(), size = gram.size();
  const auto n = static_cast<double>(size);
  const Vector* root = gram.root_weights();
  SortedSamples sorted;
  for (const Index i : samples.known) {
    sorted.known_position.push_back(static_cast<Index>(sorted.known.size()));
    sorted.known.push_back({i});
  }
  std::unique_ptr<CrossKernel> cross;
  std::unique_ptr<PlacedSamples> placed;
  if (samples.fresh) {
    cross = gram.cross_kernel();
    placed = cross->place(*samples.fresh);
    sorted.add_new(*placed, samples.fresh->count(), static_cast<Index>(samples.known.size()));
  }
  TransformedKernel result{.values = Matrix::Zero(count, count)};
  const Matrix rows =
      sorted.new_row.empty() ? Matrix(0, size) : chosen(rows_of(*placed, size), sorted.new_row);

  if (!sorted.known.empty()) {
    const KnownColumns columns = action.known(spread(sorted.known, root, size));
    const Matrix block = gathered(sorted.known, root, n * columns.values);
    place_block(block, sorted.known_position, sorted.known_position, result.values);
    const Matrix cross_block = rows * columns.fresh;
    place_block(cross_block, sorted.new_position, sorted.known_position, result.values);
    place_block(cross_block.transpose(), sorted.known_position, sorted.new_position, result.values);
    result.error = columns.error;
    result.converged = columns.converged;
  }
  if (!sorted.new_row.empty()) {
    const Matrix transposed = rows.transpose();
    const SecondQuotient h = action.fresh(transposed);
    Matrix block = rows * h.image / n;
    if (h.slope != 0.0) block += h.slope * kernel_among(*placed, samples, sorted.new_row);
    block.diagonal().array() += n * h.value;
    place_block(block, sorted.new_position, sorted.new_position, result.values);
    result.error = std::max(result.error, h.error);
    result.converged = result.converged && h.converged;
  }
  // Symmetric up to rounding and the inner tolerance.
  result.values = (0.5 * (result.values + result.values.transpose())).eval();
  return result;
}

}  // namespace stkr
