#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

// Graphs for the benchmark of sparse products: rows are sorted, no symmetry is needed.
namespace csr_product {

struct Graph {
  std::string name;
  std::int64_t nodes = 0;
  std::vector<std::int64_t> row_start;
  std::vector<std::int32_t> column;
  std::vector<double> value;
};

enum class Kind { random, power_law, local };

inline std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
inline double unit(std::uint64_t x) { return static_cast<double>(mixed(x) >> 11) * 0x1p-53; }

template <class Body>
void in_parallel(std::int64_t count, Body body) {
  const auto team = std::max<std::int64_t>(1, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (std::int64_t t = 0; t < team; ++t) {
    threads.emplace_back([=] { body(count * t / team, count * (t + 1) / team); });
  }
}

// About `degree` entries per row: random and local graphs have 5 more or fewer, those of a power
// law a share that falls with the rank to the power of -0.6, as columns do; nodes are in random
// order.
inline Graph make_graph(Kind kind, std::int64_t nodes, int degree) {
  constexpr double exponent = 0.6;
  const char* names[] = {"random", "power law", "local"};
  Graph g{names[static_cast<int>(kind)], nodes, std::vector<std::int64_t>(nodes + 1), {}, {}};
  // A permutation by an odd multiplier; `nodes` is not a multiple of it.
  const auto shuffled = [=](std::int64_t rank) { return rank * 7919 % nodes; };
  double total = 0.0;
  if (kind == Kind::power_law) {
    for (std::int64_t i = 0; i < nodes; ++i) total += std::pow(i + 1.0, -exponent);
  }
  for (std::int64_t i = 0; i < nodes; ++i) {
    if (kind == Kind::power_law) {
      g.row_start[shuffled(i) + 1] =
          std::llround(static_cast<double>(degree) * nodes * std::pow(i + 1.0, -exponent) / total);
    } else {
      g.row_start[i + 1] = degree - 5 + static_cast<std::int64_t>(mixed(i) % 11);
    }
  }
  for (std::int64_t i = 0; i < nodes; ++i) g.row_start[i + 1] += g.row_start[i];
  g.column.resize(g.row_start[nodes]);
  g.value.resize(g.row_start[nodes]);
  in_parallel(nodes, [&g, kind, nodes, shuffled](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t p = g.row_start[i]; p < g.row_start[i + 1]; ++p) {
        const double u = unit(2 * p);
        std::int64_t j = static_cast<std::int64_t>(u * nodes);
        if (kind == Kind::power_law) {
          j = shuffled(static_cast<std::int64_t>(std::pow(u, 1.0 / (1.0 - exponent)) * nodes));
        }
        if (kind == Kind::local) j = (i + static_cast<std::int64_t>(u * 512) - 256 + nodes) % nodes;
        g.column[p] = static_cast<std::int32_t>(std::min(j, nodes - 1));
        g.value[p] = unit(2 * p + 1) - 0.25;
      }
      std::sort(g.column.begin() + g.row_start[i], g.column.begin() + g.row_start[i + 1]);
    }
  });
  return g;
}

// The largest error on sampled rows, relative to the sum of magnitudes, of a row-major y = A x.
// fetch(i) returns row i of y. Without weights, values count as 1.
template <class Fetch>
double largest_error(const Graph& g, bool weighted, const std::vector<double>& x, int columns,
                     Fetch fetch) {
  double worst = 0.0;
  for (int s = 0; s < 201; ++s) {
    const std::int64_t i = s < 3 ? s : static_cast<std::int64_t>(unit(s) * g.nodes);
    const auto y = fetch(i);
    for (int c = 0; c < columns; ++c) {
      double sum = 0.0, size = 0.0;
      for (std::int64_t p = g.row_start[i]; p < g.row_start[i + 1]; ++p) {
        const double term =
            (weighted ? g.value[p] : 1.0) * x[static_cast<std::int64_t>(g.column[p]) * columns + c];
        sum += term;
        size += std::abs(term);
      }
      const double error = std::abs(static_cast<double>(y[c]) - sum);
      if (!(error >= 0.0)) return INFINITY;
      worst = std::max(worst, error / std::max(size, 1e-300));
    }
  }
  return worst;
}

}  // namespace csr_product
