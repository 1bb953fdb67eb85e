#include "stkr/linop/block_algebra.hpp"

#include <vector>

#include "stkr/linop/parallel.hpp"

namespace stkr {
namespace {

// Rows per chunk: large enough that starting a task costs nothing, small enough to spread.
constexpr Index kChunk = 4096;

// Columns of a tile of a symmetric product or of a triangular factor.
constexpr Index kTile = 128;

// A team of threads costs more than the work on a small block; the chunks stay the same.
int team_for(ConstMatrixRef x, int threads) { return x.size() < (1 << 16) ? 1 : threads; }

Index chunk_count(Index rows) { return (rows + kChunk - 1) / kChunk; }

}  // namespace

Vector column_dots(ConstMatrixRef x, ConstMatrixRef y, int threads) {
  Matrix partial = Matrix::Zero(std::max<Index>(chunk_count(x.rows()), 1), x.cols());
  parallel_chunks(x.rows(), kChunk, team_for(x, threads), [&](Index begin, Index end) {
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
  parallel_chunks(x.rows(), kChunk, team_for(x, threads), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) y.row(i) = scale.cwiseProduct(x.row(i));
  });
}

void add_scaled(const Vector& a, ConstMatrixRef x, MatrixRef y, int threads) {
  const Eigen::RowVectorXd scale = a.transpose();
  parallel_chunks(x.rows(), kChunk, team_for(x, threads), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) y.row(i) += scale.cwiseProduct(x.row(i));
  });
}

void scale_and_add(const Vector& a, ConstMatrixRef x, MatrixRef y, int threads) {
  const Eigen::RowVectorXd scale = a.transpose();
  parallel_chunks(x.rows(), kChunk, team_for(x, threads), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) y.row(i) = x.row(i) + scale.cwiseProduct(y.row(i));
  });
}

Matrix tall_product(ConstMatrixRef x, ConstMatrixRef y, int threads) {
  // At most 16 stripes, whatever the thread count: their partial products are what memory this
  // takes, and their order of summation is what makes the result reproducible.
  const Index stripes = std::clamp<Index>(chunk_count(x.rows()), 1, 16);
  std::vector<Matrix> partial(stripes);
  parallel_tasks(stripes, threads, [&](Index stripe) {
    const Index begin = x.rows() * stripe / stripes;
    const Index count = x.rows() * (stripe + 1) / stripes - begin;
    partial[stripe].noalias() = x.middleRows(begin, count).transpose() * y.middleRows(begin, count);
  });
  for (Index stripe = 1; stripe < stripes; ++stripe) partial[0] += partial[stripe];
  return std::move(partial[0]);
}

Matrix symmetric_tall_product(ConstMatrixRef x, ConstMatrixRef y, int threads) {
  // Tiles of the upper triangle are the tasks: no partial products to add up.
  const Index k = x.cols();
  const Index tiles = (k + kTile - 1) / kTile;
  Matrix result(k, k);
  parallel_tasks(tiles * (tiles + 1) / 2, threads, [&](Index task) {
    Index i = 0;
    for (; task >= tiles - i; ++i) task -= tiles - i;
    const Index j = i + task;
    const Index rows = std::min(kTile, k - i * kTile);
    const Index columns = std::min(kTile, k - j * kTile);
    auto tile = result.block(i * kTile, j * kTile, rows, columns);
    tile.noalias() = x.middleCols(i * kTile, rows).transpose() * y.middleCols(j * kTile, columns);
    if (i == j) {
      tile.triangularView<Eigen::StrictlyLower>() = Matrix(tile.transpose());
    } else {
      result.block(j * kTile, i * kTile, columns, rows) = tile.transpose();
    }
  });
  return result;
}

Matrix tall_times_small(ConstMatrixRef x, ConstMatrixRef m, int threads) {
  Matrix result(x.rows(), m.cols());
  parallel_chunks(x.rows(), 512, threads, [&](Index begin, Index end) {
    result.middleRows(begin, end - begin).noalias() = x.middleRows(begin, end - begin) * m;
  });
  return result;
}

void multiply_by_upper(MatrixRef x, ConstMatrixRef m, int threads) {
  parallel_chunks(x.rows(), 512, threads, [&](Index begin, Index end) {
    const Matrix rows = x.middleRows(begin, end - begin);
    for (Index first = 0; first < m.cols(); first += kTile) {
      const Index width = std::min(kTile, m.cols() - first);
      x.block(begin, first, end - begin, width).noalias() =
          rows.leftCols(first + width) * m.block(0, first, first + width, width);
    }
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
