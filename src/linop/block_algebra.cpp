#include "stkr/linop/block_algebra.hpp"

#include <vector>

#include "stkr/linop/parallel.hpp"

namespace stkr {
namespace {

// Rows per chunk: large enough that starting a task costs nothing, small enough to spread.
constexpr Index kChunk = 4096;

Index chunk_count(Index rows) { return (rows + kChunk - 1) / kChunk; }

}  // namespace

Vector column_dots(ConstMatrixRef x, ConstMatrixRef y, int threads) {
  Matrix partial = Matrix::Zero(std::max<Index>(chunk_count(x.rows()), 1), x.cols());
  parallel_chunks(x.rows(), kChunk, threads, [&](Index begin, Index end) {
    auto sum = partial.row(begin / kChunk);
    for (Index i = begin; i < end; ++i) sum += x.row(i).cwiseProduct(y.row(i));
  });
  return partial.colwise().sum().transpose();
}

Vector column_norms(ConstMatrixRef x, int threads) {
  return column_dots(x, x, threads).cwiseSqrt();
}

void scale_columns(const Vector& a, ConstMatrixRef x, MatrixRef y, int threads) {
  const Eigen::RowVectorXd scale = a.transpose();
  parallel_chunks(x.rows(), kChunk, threads, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) y.row(i) = scale.cwiseProduct(x.row(i));
  });
}

void add_scaled(const Vector& a, ConstMatrixRef x, MatrixRef y, int threads) {
  const Eigen::RowVectorXd scale = a.transpose();
  parallel_chunks(x.rows(), kChunk, threads, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) y.row(i) += scale.cwiseProduct(x.row(i));
  });
}

void scale_and_add(const Vector& a, ConstMatrixRef x, MatrixRef y, int threads) {
  const Eigen::RowVectorXd scale = a.transpose();
  parallel_chunks(x.rows(), kChunk, threads, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) y.row(i) = x.row(i) + scale.cwiseProduct(y.row(i));
  });
}

namespace {

// Σ over stripes of rows of what `add(begin, count, partial)` makes of each. At most 16 stripes,
// whatever the thread count: their partial products are what memory this takes, and their order of
// summation is what makes the result reproducible.
template <class Add>
Matrix sum_over_stripes(Index rows, int threads, Add&& add) {
  const Index stripes = std::clamp<Index>((rows + 1023) / 1024, 1, 16);
  std::vector<Matrix> partial(stripes);
  parallel_tasks(stripes, threads, [&](Index stripe) {
    const Index begin = rows * stripe / stripes;
    add(begin, rows * (stripe + 1) / stripes - begin, partial[stripe]);
  });
  for (Index stripe = 1; stripe < stripes; ++stripe) partial[0] += partial[stripe];
  return std::move(partial[0]);
}

}  // namespace

Matrix tall_product(ConstMatrixRef x, ConstMatrixRef y, int threads) {
  return sum_over_stripes(x.rows(), threads, [&](Index begin, Index count, Matrix& sum) {
    sum.noalias() = x.middleRows(begin, count).transpose() * y.middleRows(begin, count);
  });
}

Matrix tall_gram(ConstMatrixRef x, int threads) {
  Matrix gram = sum_over_stripes(x.rows(), threads, [&](Index begin, Index count, Matrix& sum) {
    sum = Matrix::Zero(x.cols(), x.cols());
    sum.selfadjointView<Eigen::Lower>().rankUpdate(x.middleRows(begin, count).transpose());
  });
  gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
  return gram;
}

Matrix symmetric_product(ConstMatrixRef x, ConstMatrixRef y, int threads) {
  Matrix half = sum_over_stripes(x.rows(), threads, [&](Index begin, Index count, Matrix& sum) {
    sum = Matrix::Zero(x.cols(), x.cols());
    sum.triangularView<Eigen::Lower>() +=
        x.middleRows(begin, count).transpose() * y.middleRows(begin, count);
  });
  half.triangularView<Eigen::StrictlyUpper>() = half.transpose();
  return half;
}

Matrix tall_times_small(ConstMatrixRef x, ConstMatrixRef m, int threads) {
  Matrix result(x.rows(), m.cols());
  parallel_chunks(x.rows(), 512, threads, [&](Index begin, Index end) {
    result.middleRows(begin, end - begin).noalias() = x.middleRows(begin, end - begin) * m;
  });
  return result;
}

void subtract_product(ConstMatrixRef x, ConstMatrixRef m, MatrixRef y, int threads) {
  parallel_chunks(x.rows(), 512, threads, [&](Index begin, Index end) {
    y.middleRows(begin, end - begin).noalias() -= x.middleRows(begin, end - begin) * m;
  });
}

Matrix scatter_rows(ConstMatrixRef rows, std::span<const Index> samples, Index size) {
  Matrix block = Matrix::Zero(size, rows.cols());
  for (std::size_t k = 0; k < samples.size(); ++k) block.row(samples[k]) = rows.row(k);
  return block;
}

Matrix gather_rows(ConstMatrixRef block, std::span<const Index> samples) {
  Matrix rows(samples.size(), block.cols());
  for (std::size_t k = 0; k < samples.size(); ++k) rows.row(k) = block.row(samples[k]);
  return rows;
}

}  // namespace stkr
