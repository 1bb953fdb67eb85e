#include "stkr/theory/transformed_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "estimator/spectral_action.hpp"
#include "stkr/error.hpp"
#include "theory/fractional_power.hpp"
#include "theory/kernel_between.hpp"

namespace stkr {
namespace {

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
  const ActionOptions action_options{.tolerance = options.tolerance,
                                     .max_iterations = options.max_iterations,
                                     .dense_below = options.dense_below};
  const auto known = [&](const Matrix& b) {
    const SpectralAction action(gram, transform, action_options, context);
    TransformedPair pair = action.apply_pair(b);
    KnownColumns columns{.values = product(gram, pair.known)};
    columns.fresh = std::move(pair.fresh.size() > 0 ? pair.fresh : pair.known);
    columns.error = action.approximation_error();
    columns.converged = action.approximation_converged() && action.inner().converged();
    return columns;
  };
  const auto fresh = [&](const Matrix& b) {
    return second_quotient(gram, transform, b, action_options, context);
  };
  return kernel_between(gram, samples, {known, fresh});
}

TransformedKernel transformed_kernel(const GramOperator& gram, double p,
                                     const KernelSamples& samples,
                                     const TransformedKernelOptions& options,
                                     const Context& context) {
  if (!(p > 0.0 && p < 1.0)) {
    return transformed_kernel(gram, SpectralTransform::power(p), samples, options, context);
  }
  const FractionalPower power(gram, p, options.dense_below, context);
  return kernel_between(gram, samples,
                        {[&](const Matrix& b) { return power.known(b); },
                         [&](const Matrix& b) { return power.fresh(b); }});
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
  return kernel_distances(transformed_kernel(gram, p, samples, options, context).values);
}

}  // namespace stkr
