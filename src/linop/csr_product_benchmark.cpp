#include <benchmark/benchmark.h>

#include <random>

#include "linop/csr_product.hpp"

namespace stkr {
namespace {

// Every row has the same number of entries at random columns, so there is no locality to exploit.
CsrMatrix random_graph(Index nodes, Index per_row) {
  std::mt19937_64 random(1);
  const Index gap = nodes / per_row;
  std::uniform_int_distribution<Index> within(0, gap - 1);
  CsrMatrix a;
  a.rows = a.cols = nodes;
  a.row_start.push_back(0);
  for (Index i = 0; i < nodes; ++i) {
    for (Index k = 0; k < per_row; ++k) {
      a.column.push_back(static_cast<std::int32_t>(k * gap + within(random)));
      a.value.push_back(1.0);
    }
    a.row_start.push_back(a.entries());
  }
  return a;
}

// Bytes per second counts the requested bytes: 12 per entry plus a row of x.
void CsrProduct(benchmark::State& state) {
  const Index nodes = state.range(0);
  const Index columns = state.range(1);
  const CsrMatrix a = random_graph(nodes, 20);
  const Matrix x = Matrix::Ones(nodes, columns);
  Matrix y(nodes, columns);
  for (auto _ : state) multiply(a, x, y, static_cast<int>(state.range(2)));
  state.SetBytesProcessed(state.iterations() *
                          (a.entries() * (12 + 8 * columns) + nodes * (8 + 8 * columns)));
}
BENCHMARK(CsrProduct)
    ->ArgNames({"nodes", "columns", "threads"})
    ->Args({10000, 10, 1})
    ->Args({300000, 1, 2})
    ->Args({300000, 8, 2})
    ->Args({300000, 10, 1})
    ->Args({300000, 10, 2})
    ->Args({300000, 16, 2})
    ->Args({300000, 64, 1})
    ->Args({300000, 64, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stkr
