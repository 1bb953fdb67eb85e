#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "stkr/gram/point_gram.hpp"

namespace stkr {
namespace {

template <class Scalar>
Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> random_points(
    Index count, Index features) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> points(count, features);
  for (Index i = 0; i < points.size(); ++i) {
    points.data()[i] = static_cast<Scalar>(normal(random));
  }
  return points;
}

// Pairs per second counts all N² pairs of S x, although symmetry saves half of them.
template <class Scalar>
void time_product(benchmark::State& state, const Kernel& kernel, Tiles tiles = Tiles::evaluated) {
  const Index n = state.range(0);
  const PointGram<Scalar> gram(random_points<Scalar>(n, state.range(1)), kernel,
                               static_cast<int>(state.range(3)), tiles);
  const Matrix x = Matrix::Ones(n, state.range(2));
  Matrix y(n, x.cols());
  for (auto _ : state) gram.apply(x, y);
  state.counters["pairs/s"] = benchmark::Counter(static_cast<double>(n) * static_cast<double>(n),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

template <class Scalar>
void PointGramRbf(benchmark::State& state) {
  time_product<Scalar>(state, Kernel::rbf(std::sqrt(static_cast<double>(state.range(1)))));
}
BENCHMARK_TEMPLATE(PointGramRbf, double)
    ->ArgNames({"points", "features", "columns", "threads"})
    ->Args({8000, 4, 10, 1})
    ->Args({8000, 4, 10, 2})
    ->Args({8000, 64, 1, 2})
    ->Args({20000, 64, 10, 2})
    ->Args({8000, 64, 1, 1})
    ->Args({8000, 64, 10, 1})
    ->Args({8000, 64, 10, 2})
    ->Args({8000, 64, 100, 2})
    ->Args({4000, 1000, 10, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(PointGramRbf, float)
    ->ArgNames({"points", "features", "columns", "threads"})
    ->Args({8000, 64, 10, 1})
    ->Args({8000, 64, 10, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// The same kernel as a function of the user.
template <class Scalar>
void PointGramCustomRbf(benchmark::State& state) {
  const double factor = -0.5 / static_cast<double>(state.range(1));
  time_product<Scalar>(state, Kernel::custom({.name = "own_rbf",
                                              .formula = OfSquaredDistance{[=](auto row) {
                                                for (auto& d2 : row)
                                                  d2 *= static_cast<Scalar>(factor);
                                                exp_in_place(row);
                                              }},
                                              .positive_semidefinite = true,
                                              .nonnegative = true}));
}
BENCHMARK_TEMPLATE(PointGramCustomRbf, double)
    ->ArgNames({"points", "features", "columns", "threads"})
    ->Args({8000, 4, 10, 1})
    ->Args({8000, 64, 1, 1})
    ->Args({8000, 64, 10, 1})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(PointGramCustomRbf, float)
    ->ArgNames({"points", "features", "columns", "threads"})
    ->Args({8000, 64, 10, 1})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// One call per pair.
void PointGramOfPoints(benchmark::State& state) {
  const Kernel rbf = Kernel::rbf(std::sqrt(static_cast<double>(state.range(1))));
  time_product<double>(state, Kernel::custom({.name = "own_rbf", .formula = OfPoints{rbf}}));
}
BENCHMARK(PointGramOfPoints)
    ->ArgNames({"points", "features", "columns", "threads"})
    ->Args({8000, 4, 10, 1})
    ->Args({8000, 64, 10, 1})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void PointGramKept(benchmark::State& state) {
  time_product<double>(state, Kernel::rbf(std::sqrt(static_cast<double>(state.range(1)))),
                       Tiles::kept);
}
BENCHMARK(PointGramKept)
    ->ArgNames({"points", "features", "columns", "threads"})
    ->Args({8000, 4, 10, 2})
    ->Args({8000, 64, 1, 2})
    ->Args({8000, 64, 10, 2})
    ->Args({8000, 64, 100, 2})
    ->Args({20000, 64, 10, 2})
    ->Args({4000, 1000, 10, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void PointGramLaplacian(benchmark::State& state) {
  time_product<double>(state, Kernel::laplacian(static_cast<double>(state.range(1))));
}
BENCHMARK(PointGramLaplacian)
    ->ArgNames({"points", "features", "columns", "threads"})
    ->Args({8000, 64, 10, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stkr
