#include "stkr/linop/block_algebra.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "linop/normal_rows.hpp"
#include "runtime/parallel.hpp"
#include "runtime/random.hpp"
#include "runtime/serial_blas.hpp"

extern "C" void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
                       const double*, const int*, const double*, const int*, const double*, double*,
                       const int*);

// Iterations of the next loop do not depend on each other, even if two blocks are the same.
#ifdef __clang__
#define STKR_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define STKR_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace stkr {
namespace {

// Rows per chunk: large enough to make the cost of a task negligible, small enough to balance load.
constexpr Index kChunk = 4096;

// Rows per chunk when multiplying by a small matrix: they stay in cache.
constexpr Index kPanel = 1024;

// Columns per tile of a symmetric product or a triangular factor.
constexpr Index kTile = 128;

// For a small block, a team of threads costs more than the work; the chunks stay the same. `work`
// counts numbers read and written; a product processes about eight of them at the cost of one.
int team_for(Index work, int threads) { return work < (1 << 16) ? 1 : threads; }
int team_for(ConstMatrixRef x, int threads) { return team_for(x.size(), threads); }
int team_for_product(Index rows, Index inner, Index columns, int threads) {
  return team_for(rows * inner * columns / 8, threads);
}

// body(i) for every row of x.
template <class Body>
void by_rows(ConstMatrixRef x, int threads, Body&& body) {
  parallel_chunks(x.rows(), kChunk, team_for(x, threads), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) body(i);
  });
}

// Rows per strip. A row of few numbers would cost as much as one of many.
constexpr Index kStripRows = 8;

// One number per column, for all rows of a strip.
Vector for_strip(const Vector& a) { return a.replicate(kStripRows, 1); }

// body(i, count) for strips of a few rows from row i on, if the rows of all blocks follow one
// another in memory, else for every row; `count` is the number of entries.
template <class Body, class... Blocks>
void by_strips(int threads, const Body& body, ConstMatrixRef x, const Blocks&... others) {
  const auto without_gaps = [](const auto& block) { return block.outerStride() == block.cols(); };
  const Index rows = without_gaps(x) && (without_gaps(others) && ...) ? kStripRows : 1;
  parallel_chunks(x.rows(), kChunk, team_for(x, threads), [&](Index begin, Index end) {
    for (Index i = begin; i < end; i += rows) body(i, std::min(rows, end - i) * x.cols());
  });
}

const double* row_at(const ConstMatrixRef& x, Index i) { return x.data() + i * x.outerStride(); }
double* row_at(MatrixRef& x, Index i) { return x.data() + i * x.outerStride(); }

Index chunk_count(Index rows) { return (rows + kChunk - 1) / kChunk; }

enum class Side { as_it_is, transposed };

// C = β C + α op(A) B by BLAS, about 1.5 times as fast as Eigen on these shapes. BLAS is
// column-major and is given the transposed problem.
void gemm(Side side, double alpha, ConstMatrixRef a, ConstMatrixRef b, double beta, MatrixRef c) {
  if (c.size() == 0) return;
  if (b.rows() == 0) {
    c *= beta;
    return;
  }
  const int m = static_cast<int>(c.cols()), n = static_cast<int>(c.rows()),
            k = static_cast<int>(b.rows());
  const int stride_a = static_cast<int>(a.outerStride()),
            stride_b = static_cast<int>(b.outerStride()),
            stride_c = static_cast<int>(c.outerStride());
  dgemm_("N", side == Side::transposed ? "T" : "N", &m, &n, &k, &alpha, b.data(), &stride_b,
         a.data(), &stride_a, &beta, c.data(), &stride_c);
}

}  // namespace

Matrix block_like(ConstMatrixRef x, Index columns) { return Matrix(x.rows(), columns); }

Matrix block_of_rows(ConstMatrixRef, std::span<const Index> samples, Index columns) {
  return Matrix(static_cast<Index>(samples.size()), columns);
}

ConstMatrixRef columns_of(ConstMatrixRef x, Index first, Index count) {
  return x.middleCols(first, count);
}

MatrixRef mutable_columns(MatrixRef x, Index first, Index count) {
  return x.middleCols(first, count);
}

ConstMatrixRef download(ConstMatrixRef x) { return x; }

void upload(ConstMatrixRef host, MatrixRef x) { x = host; }

void set_zero(MatrixRef x, int threads) {
  by_rows(x, threads, [&](Index i) { x.row(i).setZero(); });
}

void fill_normal(Random& random, MatrixRef x) { fill_normal_rows(random, x.rows(), 0, x); }

void fill_normal_rows(Random& random, Index rows, Index first, MatrixRef x) {
  constexpr Index kPart = Index{1} << 16;
  const auto fill = [&](Random& numbers, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index own = i - first;
      for (Index c = 0; c < x.cols(); ++c) {
        const double number = numbers.normal();
        if (own >= 0 && own < x.rows()) x(own, c) = number;
      }
    }
  };
  fill(random, 0, std::min(rows, kPart));
  if (rows <= kPart) return;
  const auto seed = static_cast<std::uint64_t>(random.uniform() * 0x1p53);
  const Index before = std::max<Index>(first / kPart, 1);
  const Index after = (first + x.rows() + kPart - 1) / kPart;
  parallel_tasks(std::max<Index>(after - before, 0), 0, [&](Index task) {
    const Index part = before + task;
    Random numbers(seed + static_cast<std::uint64_t>(part) * 0x9e3779b97f4a7c15ULL);
    fill(numbers, part * kPart, std::min(rows, (part + 1) * kPart));
  });
}

bool all_finite(ConstMatrixRef x, int threads) {
  std::atomic<bool> finite = true;
  parallel_chunks(x.rows(), kChunk, team_for(x, threads), [&](Index begin, Index end) {
    if (!x.middleRows(begin, end - begin).allFinite()) finite = false;
  });
  return finite;
}

void copy_block(ConstMatrixRef x, MatrixRef y, int threads) {
  by_rows(x, threads, [&](Index i) { y.row(i) = x.row(i); });
}

void gather_columns(ConstMatrixRef x, std::span<const Index> columns, MatrixRef y, int threads) {
  by_rows(y, threads, [&](Index i) {
    for (Index c = 0; c < y.cols(); ++c) y(i, c) = x(i, columns[c]);
  });
}

void axpby(double a, ConstMatrixRef x, double b, MatrixRef y, int threads) {
  if (b == 0.0) {
    by_rows(x, threads, [&](Index i) { y.row(i) = a * x.row(i); });
  } else {
    const auto strip = [&](Index i, Index count) {
      const double* from = row_at(x, i);
      double* to = row_at(y, i);
      STKR_INDEPENDENT
      for (Index c = 0; c < count; ++c) to[c] = a * from[c] + b * to[c];
    };
    by_strips(threads, strip, x, y);
  }
}

void recurrence_step(double a, ConstMatrixRef u, double b, ConstMatrixRef x, double c, MatrixRef y,
                     int threads) {
  if (c == 0.0) {
    by_rows(x, threads, [&](Index i) { y.row(i) = a * u.row(i) + b * x.row(i); });
  } else {
    const auto strip = [&](Index i, Index count) {
      const double *us = row_at(u, i), *xs = row_at(x, i);
      double* ys = row_at(y, i);
      STKR_INDEPENDENT
      for (Index k = 0; k < count; ++k) ys[k] = a * us[k] + b * xs[k] + c * ys[k];
    };
    by_strips(threads, strip, x, u, y);
  }
}

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
  by_rows(x, threads, [&](Index i) { y.row(i) = scale.cwiseProduct(x.row(i)); });
}

void divide_columns(const Vector& a, ConstMatrixRef x, MatrixRef y, int threads) {
  const Eigen::RowVectorXd divisor = a.transpose();
  by_rows(x, threads, [&](Index i) { y.row(i) = x.row(i).cwiseQuotient(divisor); });
}

void add_scaled(const Vector& a, ConstMatrixRef x, MatrixRef y, int threads) {
  const Vector scale = for_strip(a);
  const auto strip = [&](Index i, Index count) {
    const double *s = scale.data(), *xs = row_at(x, i);
    double* ys = row_at(y, i);
    STKR_INDEPENDENT
    for (Index c = 0; c < count; ++c) ys[c] += s[c] * xs[c];
  };
  by_strips(threads, strip, x, y);
}

void scale_and_add(const Vector& a, ConstMatrixRef x, MatrixRef y, int threads) {
  const Vector scale = for_strip(a);
  const auto strip = [&](Index i, Index count) {
    const double *s = scale.data(), *xs = row_at(x, i);
    double* ys = row_at(y, i);
    STKR_INDEPENDENT
    for (Index c = 0; c < count; ++c) ys[c] = xs[c] + s[c] * ys[c];
  };
  by_strips(threads, strip, x, y);
}

void direction_step(const DirectionStep& step, ConstMatrixRef v, ConstMatrixRef w1,
                    ConstMatrixRef w2, MatrixRef w, MatrixRef x, int threads) {
  const Vector scale = for_strip(step.scale), older = for_strip(step.older),
               old = for_strip(step.old), length = for_strip(step.length);
  const auto strip = [&](Index i, Index count) {
    const double *s = scale.data(), *o1 = older.data(), *o2 = old.data(), *l = length.data();
    const double *vs = row_at(v, i), *w1s = row_at(w1, i), *w2s = row_at(w2, i);
    double *ws = row_at(w, i), *xs = row_at(x, i);
    STKR_INDEPENDENT
    for (Index c = 0; c < count; ++c) {
      ws[c] = (vs[c] - o1[c] * w1s[c] - o2[c] * w2s[c]) * s[c];
      xs[c] += l[c] * ws[c];
    }
  };
  by_strips(threads, strip, x, v, w1, w2, w);
}

void scale_rows(ConstMatrixRef w, ConstMatrixRef x, MatrixRef y, int threads) {
  by_rows(x, threads, [&](Index i) { y.row(i) = w(i, 0) * x.row(i); });
}

void add_and_scale_rows(ConstMatrixRef w, ConstMatrixRef t, ConstMatrixRef x, MatrixRef y,
                        int threads) {
  by_rows(x, threads, [&](Index i) { y.row(i) = w(i, 0) * (y.row(i) + t(i, 0) * x.row(i)); });
}

Matrix tall_product(ConstMatrixRef x, ConstMatrixRef y, int threads) {
  // At most 16 stripes, regardless of the thread count: their partial products determine the memory
  // use, and their summation order makes the result reproducible.
  const Index stripes = std::clamp<Index>((x.rows() + 1023) / 1024, 1, 16);
  std::vector<Matrix> partial(stripes);
  const detail::SerialBlas serial;
  const int team = team_for_product(x.rows(), x.cols(), y.cols(), threads);
  parallel_tasks(stripes, team, [&](Index stripe) {
    const Index begin = x.rows() * stripe / stripes;
    const Index count = x.rows() * (stripe + 1) / stripes - begin;
    partial[stripe].resize(x.cols(), y.cols());
    gemm(Side::transposed, 1.0, x.middleRows(begin, count), y.middleRows(begin, count), 0.0,
         partial[stripe]);
  });
  for (Index stripe = 1; stripe < stripes; ++stripe) partial[0] += partial[stripe];
  return std::move(partial[0]);
}

Matrix symmetric_tall_product(ConstMatrixRef x, ConstMatrixRef y, int threads) {
  // The tasks are tiles of the upper triangle, without partial products to add.
  const Index k = x.cols();
  const Index tile_size = std::min(kTile, std::max<Index>(kTile / 2, k / 4));
  const Index tiles = (k + tile_size - 1) / tile_size;
  // A few tiles would leave threads idle; stripes of rows are faster then.
  if (tiles < 3) {
    const Matrix product = tall_product(x, y, threads);
    return 0.5 * (product + product.transpose());
  }
  Matrix result(k, k);
  const detail::SerialBlas serial;
  const int team = team_for_product(x.rows(), k, k, threads);
  parallel_tasks(tiles * (tiles + 1) / 2, team, [&](Index task) {
    Index i = 0;
    for (; task >= tiles - i; ++i) task -= tiles - i;
    const Index j = i + task;
    const Index rows = std::min(tile_size, k - i * tile_size);
    const Index columns = std::min(tile_size, k - j * tile_size);
    auto tile = result.block(i * tile_size, j * tile_size, rows, columns);
    gemm(Side::transposed, 1.0, x.middleCols(i * tile_size, rows),
         y.middleCols(j * tile_size, columns), 0.0, tile);
    if (i != j) {
      result.block(j * tile_size, i * tile_size, columns, rows) = tile.transpose();
    } else {
      tile = 0.5 * (tile + tile.transpose()).eval();
    }
  });
  return result;
}

Matrix tall_times_small(ConstMatrixRef x, ConstMatrixRef m, int threads) {
  Matrix result(x.rows(), m.cols());
  const detail::SerialBlas serial;
  const int team = team_for_product(x.rows(), m.rows(), m.cols(), threads);
  parallel_chunks(x.rows(), kPanel, team, [&](Index begin, Index end) {
    gemm(Side::as_it_is, 1.0, x.middleRows(begin, end - begin), m, 0.0,
         result.middleRows(begin, end - begin));
  });
  return result;
}

void subtract_product(ConstMatrixRef x, ConstMatrixRef m, MatrixRef y, int threads) {
  const detail::SerialBlas serial;
  const int team = team_for_product(x.rows(), m.rows(), m.cols(), threads);
  parallel_chunks(x.rows(), kPanel, team, [&](Index begin, Index end) {
    gemm(Side::as_it_is, -1.0, x.middleRows(begin, end - begin), m, 1.0,
         y.middleRows(begin, end - begin));
  });
}

void multiply_by_upper(MatrixRef x, ConstMatrixRef m, int threads) {
  const detail::SerialBlas serial;
  const int team = team_for_product(x.rows(), m.rows(), m.cols(), threads);
  parallel_chunks(x.rows(), kPanel, team, [&](Index begin, Index end) {
    const Matrix rows = x.middleRows(begin, end - begin);
    for (Index first = 0; first < m.cols(); first += kTile) {
      const Index width = std::min(kTile, m.cols() - first);
      gemm(Side::as_it_is, 1.0, rows.leftCols(first + width),
           m.block(0, first, first + width, width), 0.0, x.block(begin, first, end - begin, width));
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

void scatter_rows(ConstMatrixRef x, std::span<const Index> samples, MatrixRef y, int threads) {
  set_zero(y, threads);
  by_rows(x, threads, [&](Index k) { y.row(samples[k]) = x.row(k); });
}

void gather_rows(double scale, ConstMatrixRef x, std::span<const Index> samples, MatrixRef y,
                 int threads) {
  by_rows(y, threads, [&](Index k) { y.row(k) = scale * x.row(samples[k]); });
}

}  // namespace stkr
