// Whole fits on a device beside the CPU: a graph of many nodes with the inverse Laplacian, and
// points with a kernel that is never stored.
//
//   fits graph [NODES] [DEVICE...]     20 entries per node, 10 classes, 100 labels per class, to
//   1e-8 fits points [POINTS] [DEVICE...]   64 features, RBF, power 2, beta = 1e-2, 10 classes, to
//   1e-6
//
// Prints the seconds of making the gram (with its upload) and of the fit, and how the fit ran.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "stkr/stkr.hpp"

namespace {

using stkr::Index;
using stkr::Matrix;
using Clock = std::chrono::steady_clock;

constexpr Index kClasses = 10;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

template <class Body>
void in_parallel(Index count, Body&& body) {
  const Index workers = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (Index w = 0; w < workers; ++w) {
    threads.emplace_back([&, w] {
      for (Index i = count * w / workers; i < count * (w + 1) / workers; ++i) body(i);
    });
  }
}

// Ten random shifts of a ring whose nodes were renamed at random: 20 neighbors anywhere in memory.
stkr::CsrMatrix random_graph(Index nodes) {
  std::vector<std::pair<std::uint64_t, std::int32_t>> order(nodes);
  in_parallel(nodes, [&](Index i) { order[i] = {mixed(i + 1), static_cast<std::int32_t>(i)}; });
  std::sort(order.begin(), order.end());
  std::vector<std::int32_t> name(nodes), place(nodes);
  in_parallel(nodes, [&](Index i) {
    name[i] = order[i].second;
    place[order[i].second] = static_cast<std::int32_t>(i);
  });
  std::vector<Index> shifts;
  for (std::uint64_t k = 0; shifts.size() < 10; ++k) {
    const auto shift = static_cast<Index>(1 + mixed(1000 + k) % ((nodes - 1) / 2));
    if (std::find(shifts.begin(), shifts.end(), shift) == shifts.end()) shifts.push_back(shift);
  }
  stkr::CsrMatrix graph{nodes, nodes, {}, {}, {}};
  graph.row_start.resize(nodes + 1);
  graph.column.resize(nodes * 20);
  graph.value.assign(nodes * 20, 1.0);
  in_parallel(nodes + 1, [&](Index i) { graph.row_start[i] = 20 * i; });
  in_parallel(nodes, [&](Index row) {
    std::int32_t* out = graph.column.data() + 20 * row;
    for (std::size_t k = 0; k < shifts.size(); ++k) {
      out[2 * k] = name[(place[row] + shifts[k]) % nodes];
      out[2 * k + 1] = name[(place[row] - shifts[k] + nodes) % nodes];
    }
    std::sort(out, out + 20);
  });
  return graph;
}

struct Labels {
  std::vector<Index> samples;
  Matrix y;
};

// The same number of labels per class, on samples drawn at random.
Labels draw_labels(Index samples, Index per_class) {
  Labels labels;
  labels.y = Matrix::Zero(kClasses * per_class, kClasses);
  for (std::uint64_t k = 0; static_cast<Index>(labels.samples.size()) < kClasses * per_class; ++k) {
    const auto i = static_cast<Index>(mixed(77 + k) % static_cast<std::uint64_t>(samples));
    if (std::find(labels.samples.begin(), labels.samples.end(), i) != labels.samples.end())
      continue;
    labels.y(static_cast<Index>(labels.samples.size()), i % kClasses) = 1.0;
    labels.samples.push_back(i);
  }
  return labels;
}

template <class Gram>
void fit(const std::string& device, Clock::time_point start, const Gram& gram, const Labels& labels,
         const stkr::StkrOptions& options) {
  const double made = since(start);
  for (int repeat = 0; repeat < 2; ++repeat) {
    start = Clock::now();
    const stkr::Fit fit = stkr::fit_stkr(gram, labels.samples, labels.y, options);
    const auto& solve = fit.summary.solve;
    std::printf(
        "| %s | %.2f | %.2f | %s, %ld products (%ld of the solve in %s), residual %.1e, %s |\n",
        device.c_str(), made, since(start), solve.solver.c_str(), fit.summary.products,
        solve.rough_products,
        solve.rough_precision.empty() ? "full precision only" : solve.rough_precision.c_str(),
        solve.worst_residual(), stkr::to_string(solve.reason));
    std::fflush(stdout);
  }
}

void fit_graph(Index nodes, const std::vector<std::string>& devices) {
  const stkr::CsrMatrix graph = random_graph(nodes);
  const Labels labels = draw_labels(nodes, 100);
  for (const std::string& device : devices) {
    const auto start = Clock::now();
    const stkr::GraphGram gram(graph, {.device = stkr::Device::named(device)});
    stkr::StkrOptions options;
    options.transform = stkr::SpectralTransform::inverse_laplacian(0.99);
    options.tolerance = 1e-8;
    fit(device, start, gram, labels, options);
  }
}

void fit_points(Index count, const std::vector<std::string>& devices) {
  constexpr Index kFeatures = 64;
  stkr::MatrixF points(count, kFeatures);
  // Ten clusters; sums of four uniform numbers are close enough to normal ones.
  in_parallel(count, [&](Index i) {
    for (Index k = 0; k < kFeatures; ++k) {
      double sum = -2.0;
      for (std::uint64_t term = 0; term < 4; ++term) {
        sum += static_cast<double>(
                   mixed(static_cast<std::uint64_t>(4 * (i * kFeatures + k)) + term) >> 11) *
               0x1p-53;
      }
      const double center =
          (mixed(static_cast<std::uint64_t>((i % kClasses) * kFeatures + k)) & 1) != 0U ? 0.4
                                                                                        : -0.4;
      points(i, k) = static_cast<float>(sum * std::sqrt(3.0) + center);
    }
  });
  const Labels labels = draw_labels(count, 10);
  for (const std::string& device : devices) {
    const auto start = Clock::now();
    const stkr::PointGram<float> gram(stkr::FeatureMatrix(points), stkr::Kernel::rbf(8.0), 0,
                                      stkr::Tiles::evaluated, {}, stkr::Device::named(device));
    stkr::StkrOptions options;
    options.transform = stkr::SpectralTransform::power(2);
    options.beta = 1e-2;
    options.tolerance = 1e-6;
    fit(device, start, gram, labels, options);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const Index size = argc > 2 ? std::atoll(argv[2]) : 100'000;
  std::vector<std::string> devices(argv + std::min(argc, 3), argv + argc);
  if (devices.empty()) devices = stkr::Device::names();
  std::printf("| device | gram, s | fit, s | how |\n| --- | --- | --- | --- |\n");
  if (what == "graph") {
    fit_graph(size, devices);
  } else if (what == "points") {
    fit_points(size, devices);
  } else {
    std::fprintf(stderr, "usage: fits graph|points SIZE [DEVICE...]\n");
    return 2;
  }
  return 0;
}
