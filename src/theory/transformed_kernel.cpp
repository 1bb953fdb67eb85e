#include "stkr/theory/transformed_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "estimator/spectral_action.hpp"
#include "stkr/error.hpp"
#include "theory/second_quotient.hpp"

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

CsrMatrix joined_rows(const CsrMatrix& first, const CsrMatrix& second) {
  CsrMatrix result = first;
  const std::int64_t entries = first.row_start[first.rows];
  result.rows += second.rows;
  for (Index i = 1; i <= second.rows; ++i) {
    result.row_start.push_back(entries + second.row_start[i]);
  }
  result.column.insert(result.column.end(), second.column.begin(), second.column.end());
  result.value.insert(result.value.end(), second.value.begin(), second.value.end());
  return result;
}

void require_same(bool same, const char* what) {
  if (same) return;
  throw ValueError(fmt::format(
      "two sets of new samples have different {}; pass both in the form that the kernel expects",
      what));
}

}  // namespace

NewSamples joined(const NewSamples& first, const NewSamples& second) {
  require_same(first.data.index() == second.data.index(), "forms");
  if (const auto* a = std::get_if<Matrix>(&first.data)) {
    const auto& b = std::get<Matrix>(second.data);
    require_same(a->cols() == b.cols(), "numbers of columns");
    Matrix result(a->rows() + b.rows(), a->cols());
    result << *a, b;
    return {std::move(result)};
  }
  if (const auto* a = std::get_if<CsrMatrix>(&first.data)) {
    const auto& b = std::get<CsrMatrix>(second.data);
    require_same(a->cols == b.cols, "numbers of columns");
    return {joined_rows(*a, b)};
  }
  const auto& a = std::get<std::vector<NewSamples>>(first.data);
  const auto& b = std::get<std::vector<NewSamples>>(second.data);
  require_same(a.size() == b.size(), "numbers of parts");
  std::vector<NewSamples> parts;
  for (std::size_t k = 0; k < a.size(); ++k) parts.push_back(joined(a[k], b[k]));
  return {std::move(parts)};
}

TransformedKernel transformed_kernel(const GramOperator& gram, const SpectralTransform& transform,
                                     const KernelSamples& samples,
                                     const TransformedKernelOptions& options,
                                     const Context& context) {
  check_block_indices(gram, samples.known, {}, "transformed kernel");
  const ActionOptions action_options{.tolerance = options.tolerance,
                                     .max_iterations = options.max_iterations,
                                     .dense_below = options.dense_below};
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
    const SpectralAction action(gram, transform, action_options, context);
    const TransformedPair pair = action.apply_pair(spread(sorted.known, root, size));
    const Matrix f = n * product(gram, pair.known);
    const Matrix block = gathered(sorted.known, root, f);
    place_block(block, sorted.known_position, sorted.known_position, result.values);
    const Matrix cross_block = rows * (pair.fresh.size() > 0 ? pair.fresh : pair.known);
    place_block(cross_block, sorted.new_position, sorted.known_position, result.values);
    place_block(cross_block.transpose(), sorted.known_position, sorted.new_position, result.values);
    result.error = action.approximation_error();
    result.converged = action.approximation_converged() && action.inner().converged();
  }
  if (!sorted.new_row.empty()) {
    const Matrix transposed = rows.transpose();
    const SecondQuotient h = second_quotient(gram, transform, transposed, action_options, context);
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

TransformedKernel transformed_kernel(const GramOperator& gram, const SpectralTransform& transform,
                                     const KernelSamples& rows, const KernelSamples& columns,
                                     const TransformedKernelOptions& options,
                                     const Context& context) {
  if (rows.fresh && columns.fresh && (rows.among || columns.among)) {
    throw ValueError(
        "transformed kernel between two sets: K between their new samples is not known; pass both "
        "sets as one, with K among all new samples as `among`");
  }
  KernelSamples all{.known = rows.known, .fresh = rows.fresh, .among = rows.among};
  all.known.insert(all.known.end(), columns.known.begin(), columns.known.end());
  if (columns.fresh) {
    all.among = rows.fresh ? std::nullopt : columns.among;
    all.fresh = rows.fresh ? joined(*rows.fresh, *columns.fresh) : columns.fresh;
  }
  TransformedKernel square = transformed_kernel(gram, transform, all, options, context);
  const auto known = static_cast<Index>(all.known.size());
  const auto known_rows = static_cast<Index>(rows.known.size());
  const Index new_rows = rows.count() - known_rows;
  std::vector<Index> row_places(rows.count()), column_places(columns.count());
  for (Index i = 0; i < rows.count(); ++i) {
    row_places[i] = i < known_rows ? i : known + i - known_rows;
  }
  const auto known_columns = static_cast<Index>(columns.known.size());
  for (Index j = 0; j < columns.count(); ++j) {
    column_places[j] = j < known_columns ? known_rows + j : known + new_rows + j - known_columns;
  }
  Matrix block(rows.count(), columns.count());
  for (Index i = 0; i < block.rows(); ++i) {
    for (Index j = 0; j < block.cols(); ++j) {
      block(i, j) = square.values(row_places[i], column_places[j]);
    }
  }
  square.values = std::move(block);
  return square;
}

Matrix kernel_distances(const Matrix& kernel) {
  if (kernel.rows() != kernel.cols()) {
    throw ShapeError(fmt::format(
        "kernel distances: the kernel is {} x {}; expected the kernel among the samples",
        kernel.rows(), kernel.cols()));
  }
  Matrix result = Matrix::Zero(kernel.rows(), kernel.cols());
  for (Index i = 0; i < kernel.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      const double square = kernel(i, i) + kernel(j, j) - kernel(i, j) - kernel(j, i);
      const double scale =
          std::max({std::abs(kernel(i, i)), std::abs(kernel(j, j)), std::abs(kernel(i, j))});
      if (square < -1e-8 * scale) {
        throw ValueError(fmt::format(
            "kernel distances: K(x,x) + K(y,y) - 2K(x,y) = {:.3g} for samples {} and {}, so the "
            "kernel is not positive semidefinite; use an even power, or a kernel without negative "
            "eigenvalues such as the lazy walk",
            square, j, i));
      }
      result(i, j) = result(j, i) = std::sqrt(std::max(square, 0.0));
    }
  }
  return result;
}

Matrix diffusion_distances(const GramOperator& gram, double p, const KernelSamples& samples,
                           const TransformedKernelOptions& options, const Context& context) {
  return kernel_distances(
      transformed_kernel(gram, SpectralTransform::power(p), samples, options, context).values);
}

}  // namespace stkr
