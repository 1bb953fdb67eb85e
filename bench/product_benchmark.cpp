// Times one product of a gram and prints JSON: see products.py, which compares it with SciPy and
// scikit-learn. Before timing, a few rows are checked against a term-by-term evaluation.
//
//   product_benchmark <kernel> <points> <features> <columns> <repeats> <threads> [float]
//   product_benchmark graph <nodes> <entries> <columns> <repeats> <threads>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "peak_memory.hpp"
#include "stkr/gram/point_gram.hpp"
#include "stkr/linop/csr_product.hpp"

namespace {

using namespace stkr;

Matrix normal_matrix(Index rows, Index columns, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Matrix result(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) result(i, j) = normal(random);
  }
  return result;
}

// Each node has entries/nodes random neighbours: one direction, as the product does not mind.
CsrMatrix random_graph(Index nodes, Index entries, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::int32_t> node(0, static_cast<std::int32_t>(nodes) - 1);
  std::uniform_real_distribution<double> weight(0.5, 1.5);
  CsrMatrix a;
  a.rows = a.cols = nodes;
  a.row_start.push_back(0);
  const Index per_row = entries / nodes;
  std::vector<std::int32_t> row(per_row);
  for (Index i = 0; i < nodes; ++i) {
    for (auto& j : row) j = node(random);
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const auto j : row) {
      a.column.push_back(j);
      a.value.push_back(weight(random));
    }
    row.resize(per_row);
    a.row_start.push_back(a.entries());
  }
  return a;
}

template <class Product>
std::vector<double> time_repeats(int repeats, Product&& product) {
  std::vector<double> seconds;
  for (int r = 0; r < repeats; ++r) {
    const auto start = std::chrono::steady_clock::now();
    product();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    seconds.push_back(elapsed.count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

void report(const std::vector<double>& seconds, const std::string& rate_name, double amount,
            double error) {
  const double median = seconds[seconds.size() / 2];
  fmt::print(
      "{{\"median_seconds\": {}, \"best_seconds\": {}, \"{}\": {}, \"largest_error\": {}, "
      "\"peak_megabytes\": {}}}\n",
      median, seconds.front(), rate_name, amount / median, error, peak_megabytes());
}

// A length scale of about the typical distance, in the kernel's own norm.
Kernel named_kernel(const std::string& name, Index features) {
  const auto d = static_cast<double>(features);
  KernelParameters parameters;
  parameters.name = name;
  parameters.length_scale = name == "laplacian" ? d : std::sqrt(d);
  return Kernel::from_parameters(parameters);
}

template <class Scalar>
void run_points(const std::string& name, Index points, Index features, Index columns, int repeats,
                int threads) {
  const Matrix x = normal_matrix(points, features, 1);
  const Matrix v = normal_matrix(points, columns, 2);
  const Kernel kernel = named_kernel(name, features);
  const PointGram<Scalar> gram(x.cast<Scalar>(), kernel, threads);
  Matrix y(points, columns);
  gram.apply(v, y);

  double error = 0.0;
  for (const Index i : {Index{0}, points / 3, points - 1}) {
    Vector expected = Vector::Zero(columns);
    for (Index j = 0; j < points; ++j) {
      const double k = kernel({x.row(i).data(), static_cast<std::size_t>(features)},
                              {x.row(j).data(), static_cast<std::size_t>(features)});
      expected += k * v.row(j).transpose();
    }
    expected /= static_cast<double>(points);
    error = std::max(error, (y.row(i).transpose() - expected).cwiseAbs().maxCoeff() /
                                expected.cwiseAbs().maxCoeff());
  }
  const auto seconds = time_repeats(repeats, [&] { gram.apply(v, y); });
  report(seconds, "pairs_per_second", static_cast<double>(points) * static_cast<double>(points),
         error);
}

void run_graph(Index nodes, Index entries, Index columns, int repeats, int threads) {
  const CsrMatrix a = random_graph(nodes, entries, 1);
  const Matrix x = normal_matrix(nodes, columns, 2);
  Matrix y(nodes, columns);
  multiply(a, x, y, threads);

  double error = 0.0;
  for (const Index i : {Index{0}, nodes / 3, nodes - 1}) {
    Vector expected = Vector::Zero(columns);
    for (auto p = a.row_start[i]; p < a.row_start[i + 1]; ++p) {
      expected += a.value[p] * x.row(a.column[p]).transpose();
    }
    error = std::max(error, (y.row(i).transpose() - expected).cwiseAbs().maxCoeff());
  }
  // What the product has to read and write: index and value of each entry, the row of x it meets,
  // the row starts and y.
  const double bytes = static_cast<double>(a.entries()) * (12.0 + 8.0 * columns) +
                       static_cast<double>(nodes) * (8.0 + 8.0 * columns);
  const auto seconds = time_repeats(repeats, [&] { multiply(a, x, y, threads); });
  report(seconds, "bytes_per_second", bytes, error);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 6) {
    fmt::print(
        stderr,
        "usage: product_benchmark <kernel> <points> <features> <columns> <repeats> <threads> "
        "[float]\n       product_benchmark graph <nodes> <entries> <columns> <repeats> "
        "<threads>\n");
    return 2;
  }
  const auto number = [&](std::size_t i) { return std::atol(arguments[i].c_str()); };
  const auto repeats = static_cast<int>(number(4));
  const auto threads = static_cast<int>(number(5));
  if (arguments[0] == "graph") {
    run_graph(number(1), number(2), number(3), repeats, threads);
  } else if (arguments.size() > 6 && arguments[6] == "float") {
    run_points<float>(arguments[0], number(1), number(2), number(3), repeats, threads);
  } else {
    run_points<double>(arguments[0], number(1), number(2), number(3), repeats, threads);
  }
  return 0;
}
