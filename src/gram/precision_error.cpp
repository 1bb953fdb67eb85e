#include "gram/precision_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "runtime/parallel.hpp"
#include "runtime/random.hpp"
#include "stkr/error.hpp"

namespace stkr {

PrecisionError measure_precision_error(const PointGram<float>& single, ConstMatrixRef points,
                                       std::uint64_t seed, Index rows, int threads) {
  if (points.rows() != single.size() || points.cols() != single.features()) {
    throw ShapeError(fmt::format(
        "measure_precision_error: {} x {} points in double but {} x {} in single precision",
        points.rows(), points.cols(), single.size(), single.features()));
  }
  if (rows < 1) throw ValueError("measure_precision_error: rows is 0 or less; expected at least 1");
  constexpr Index kColumns = 4;   // columns of V
  constexpr Index kBatch = 4096;  // samples per batch, to limit memory to rows × kBatch
  Random random(seed);
  const std::vector<Index> sampled =
      random.sample(single.size(), std::min<Index>(rows, single.size()));
  const auto count = static_cast<Index>(sampled.size());
  const auto features = static_cast<std::size_t>(points.cols());
  Matrix exact = Matrix::Zero(count, kColumns);  // N S V
  Matrix error = Matrix::Zero(count, kColumns);  // N (S₃₂ - S) V
  for (Index first = 0; first < single.size(); first += kBatch) {
    std::vector<Index> batch(std::min(kBatch, single.size() - first));
    std::iota(batch.begin(), batch.end(), first);
    Matrix v(static_cast<Index>(batch.size()), kColumns);
    for (Index i = 0; i < v.size(); ++i) v.data()[i] = random.normal();
    const Matrix rounded = single.block(sampled, batch);
    parallel_tasks(count, threads, [&](Index r) {
      const double* x = points.row(sampled[r]).data();
      for (Index j = 0; j < v.rows(); ++j) {
        const double k = single.kernel()({x, features}, {points.row(batch[j]).data(), features});
        exact.row(r) += k * v.row(j);
        error.row(r) += (rounded(r, j) - k) * v.row(j);
      }
    });
  }
  const double scale = exact.norm();
  return {error.norm() / (scale > 0.0 ? scale : 1.0), count};
}

}  // namespace stkr
