#include "stkr/linop/shared_rows.hpp"

#include "stkr/linop/block_algebra.hpp"

namespace stkr {

void sum_over(const SharedRows* rows, MatrixRef values) {
  if (rows) rows->sum(values);
}

void largest_over(const SharedRows* rows, MatrixRef values) {
  if (rows) rows->largest(values);
}

double sum_over(const SharedRows* rows, double value) {
  Matrix one = Matrix::Constant(1, 1, value);
  sum_over(rows, one);
  return one(0, 0);
}

bool any_over(const SharedRows* rows, bool value) {
  return sum_over(rows, value ? 1.0 : 0.0) > 0.0;
}

bool all_over(const SharedRows* rows, bool value) { return !any_over(rows, !value); }

Matrix scatter_samples(const SharedRows* rows, ConstMatrixRef x, std::span<const Index> samples,
                       Index size) {
  if (!rows) return scatter_rows(x, samples, size);
  Matrix result = Matrix::Zero(rows->count(), x.cols());
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Index row = rows->local(samples[k]);
    if (row >= 0) result.row(row) = x.row(static_cast<Index>(k));
  }
  return result;
}

Matrix gather_samples(const SharedRows* rows, ConstMatrixRef x, std::span<const Index> samples) {
  if (!rows) return gather_rows(x, samples);
  Matrix result = Matrix::Zero(static_cast<Index>(samples.size()), x.cols());
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Index row = rows->local(samples[k]);
    if (row >= 0) result.row(static_cast<Index>(k)) = x.row(row);
  }
  rows->sum(result);
  return result;
}

std::vector<Index> local_samples(const SharedRows* rows, std::span<const Index> samples) {
  if (!rows) return {samples.begin(), samples.end()};
  std::vector<Index> result;
  for (const Index sample : samples) {
    const Index row = rows->local(sample);
    if (row >= 0) result.push_back(row);
  }
  return result;
}

}  // namespace stkr
