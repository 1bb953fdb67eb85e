#include "stkr/dataset/generators.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "runtime/random.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr double kPi = std::numbers::pi;

void check(bool fine, const char* who, const std::string& what) {
  if (!fine) throw ParameterError(fmt::format("{}: {}", who, what));
}

void check_points_arguments(Index samples, double noise, const char* who) {
  check(samples >= 1, who, fmt::format("samples = {}; expected 1 or more", samples));
  check(noise >= 0.0 && std::isfinite(noise), who,
        fmt::format("noise = {}; expected 0 or more", noise));
}

void add_noise(Matrix& points, double noise, Random& random) {
  if (noise == 0.0) return;
  for (Index i = 0; i < points.size(); ++i) points.data()[i] += noise * random.normal();
}

ClassLabels numbered_classes(int classes, std::vector<std::int32_t> code) {
  ClassLabels labels;
  for (int c = 0; c < classes; ++c) labels.names.push_back(std::to_string(c));
  labels.code = std::move(code);
  return labels;
}

Dataset points_dataset(std::string name, std::string source, Matrix points, Labels labels) {
  Dataset dataset;
  dataset.name = std::move(name);
  dataset.source = std::move(source);
  std::vector<std::string> features = {"x", "y", "z"};
  features.resize(static_cast<std::size_t>(points.cols()));
  dataset.samples = Points{.values = std::move(points), .feature_names = std::move(features)};
  dataset.labels = std::move(labels);
  dataset.truth = dataset.labels;
  return dataset;
}

// Calls visit(v, w) for the edges between nodes [a, a + rows) and [b, b + cols), each present with
// probability p. If both ranges are the same block, only pairs with w < v count.
template <class Visit>
void visit_edges(Index a, Index rows, Index b, Index cols, double p, Random& random,
                 Visit&& visit) {
  if (p <= 0.0) return;
  const bool same = a == b;
  const double log_failure = log_of_failure(p);
  Index v = same ? 1 : 0;
  Index w = -1;
  while (v < rows) {
    const Index skipped = random.geometric(log_failure);
    // The number of remaining pairs needs far fewer bits.
    if (skipped > std::numeric_limits<Index>::max() / 2) break;
    w += 1 + skipped;
    while (v < rows && w >= (same ? v : cols)) {
      w -= same ? v : cols;
      ++v;
    }
    if (v >= rows) break;
    visit(a + v, b + w);
  }
}

// The edges of all blocks, where `row` consecutive blocks form one community. They are drawn twice
// identically: first to count them, then to store them, so that only the matrix is in memory. Every
// row receives its columns in ascending order: those of earlier nodes when it is processed, then
// the later ones.
CsrMatrix draw_blocks(std::span<const Index> sizes, std::size_t row, Index nodes, double p_in,
                      double p_out, Random& random) {
  const auto visit_all = [&](Random& from, auto&& visit) {
    Index first_a = 0;
    for (std::size_t a = 0; a < sizes.size(); first_a += sizes[a++]) {
      Index first_b = 0;
      for (std::size_t b = 0; b <= a; first_b += sizes[b++]) {
        visit_edges(first_a, sizes[a], first_b, sizes[b], a / row == b / row ? p_in : p_out, from,
                    visit);
      }
    }
  };
  CsrMatrix matrix{
      nodes, nodes, std::vector<std::int64_t>(static_cast<std::size_t>(nodes) + 2), {}, {}};
  // Counts are offset by two: after the prefix sums, entry i + 1 is the start of row i, and moves
  // to its end, the start of row i + 1, while the row is filled.
  auto& start = matrix.row_start;
  Random rehearsal = random;
  visit_all(rehearsal, [&](Index v, Index w) {
    ++start[static_cast<std::size_t>(v) + 2];
    ++start[static_cast<std::size_t>(w) + 2];
  });
  for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
  matrix.column.resize(static_cast<std::size_t>(start.back()));
  matrix.value.assign(static_cast<std::size_t>(start.back()), 1.0);
  visit_all(random, [&](Index v, Index w) {
    matrix.column[static_cast<std::size_t>(start[static_cast<std::size_t>(v) + 1]++)] =
        static_cast<std::int32_t>(w);
    matrix.column[static_cast<std::size_t>(start[static_cast<std::size_t>(w) + 1]++)] =
        static_cast<std::int32_t>(v);
  });
  start.pop_back();
  return matrix;
}

// A block graph in which `row` consecutive blocks form one community; the block is the class.
Dataset block_graph(std::span<const Index> block_sizes, std::size_t row, double p_in, double p_out,
                    Random& random, const char* name) {
  const char* who = "block model";
  check(!block_sizes.empty(), who, "no block; expected at least one");
  Index nodes = 0;
  for (const Index size : block_sizes) {
    check(size >= 1 && size <= std::numeric_limits<std::int32_t>::max() - nodes, who,
          fmt::format("a block of {} nodes; expected 1 or more, and at most 2^31 in total", size));
    nodes += size;
  }
  for (const double p : {p_in, p_out}) {
    check(p >= 0.0 && p <= 1.0, who,
          fmt::format("probability {}; expected a number from 0 to 1", p));
  }
  std::vector<std::int32_t> code;
  for (std::size_t a = 0; a < block_sizes.size(); ++a) {
    code.insert(code.end(), static_cast<std::size_t>(block_sizes[a]), static_cast<std::int32_t>(a));
  }
  Dataset dataset;
  dataset.name = name;
  dataset.samples = Graph{.adjacency = draw_blocks(block_sizes, row, nodes, p_in, p_out, random),
                          .node_names = {}};
  dataset.labels = numbered_classes(static_cast<int>(block_sizes.size()), std::move(code));
  dataset.truth = dataset.labels;
  return dataset;
}

}  // namespace

Dataset two_moons(Index samples, double noise, std::uint64_t seed) {
  check_points_arguments(samples, noise, "two moons");
  Random random(seed);
  Matrix points(samples, 2);
  std::vector<std::int32_t> code(static_cast<std::size_t>(samples));
  for (Index i = 0; i < samples; ++i) {
    const auto moon = static_cast<std::int32_t>(i % 2);
    const double angle = kPi * random.uniform();
    const double x = portable_cosine(angle);
    const double y = portable_sine(angle);
    points.row(i) << (moon == 0 ? x : 1.0 - x), (moon == 0 ? y : 0.5 - y);
    code[static_cast<std::size_t>(i)] = moon;
  }
  add_noise(points, noise, random);
  return points_dataset(
      "two_moons", fmt::format("two_moons({} samples, noise {}, seed {})", samples, noise, seed),
      std::move(points), numbered_classes(2, std::move(code)));
}

Dataset circles(Index samples, double noise, double factor, std::uint64_t seed) {
  check_points_arguments(samples, noise, "circles");
  check(factor > 0.0 && factor < 1.0, "circles",
        fmt::format("factor is {}, expected between 0 and 1", factor));
  Random random(seed);
  Matrix points(samples, 2);
  std::vector<std::int32_t> code(static_cast<std::size_t>(samples));
  for (Index i = 0; i < samples; ++i) {
    const auto circle = static_cast<std::int32_t>(i % 2);
    const double radius = circle == 0 ? 1.0 : factor;
    const double angle = 2.0 * kPi * random.uniform();
    points.row(i) << radius * portable_cosine(angle), radius * portable_sine(angle);
    code[static_cast<std::size_t>(i)] = circle;
  }
  add_noise(points, noise, random);
  return points_dataset("circles",
                        fmt::format("circles({} samples, noise {}, factor {}, seed {})", samples,
                                    noise, factor, seed),
                        std::move(points), numbered_classes(2, std::move(code)));
}

Dataset swiss_roll(Index samples, double noise, std::uint64_t seed, int classes) {
  check_points_arguments(samples, noise, "swiss roll");
  check(classes >= 0, "swiss roll", fmt::format("classes = {}; expected 0 or more", classes));
  Random random(seed);
  Matrix points(samples, 3);
  Matrix angle(samples, 1);
  std::vector<std::int32_t> code(static_cast<std::size_t>(samples));
  for (Index i = 0; i < samples; ++i) {
    const double u = random.uniform();
    const double t = 1.5 * kPi * (1.0 + 2.0 * u);
    points.row(i) << t * portable_cosine(t), 21.0 * random.uniform(), t * portable_sine(t);
    angle(i, 0) = t;
    code[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(u * classes);
  }
  add_noise(points, noise, random);
  Labels labels = TargetValues{.names = {"target"}, .values = std::move(angle)};
  if (classes > 0) labels = numbered_classes(classes, std::move(code));
  return points_dataset(
      "swiss_roll", fmt::format("swiss_roll({} samples, noise {}, seed {})", samples, noise, seed),
      std::move(points), std::move(labels));
}

Dataset stochastic_block_model(std::span<const Index> block_sizes, double p_in, double p_out,
                               std::uint64_t seed) {
  Random random(seed);
  Dataset dataset = block_graph(block_sizes, 1, p_in, p_out, random, "stochastic_block_model");
  dataset.source = fmt::format("stochastic_block_model(blocks {}, p_in {}, p_out {}, seed {})",
                               fmt::join(block_sizes, "+"), p_in, p_out, seed);
  return dataset;
}

Dataset attributed_block_model(std::span<const Index> block_sizes, double p_in, double p_out,
                               Index features, double noise, std::uint64_t seed) {
  const char* who = "block model";
  std::size_t row = 1;  // q
  while (row * row < block_sizes.size()) ++row;
  check(features >= static_cast<Index>(row), who,
        fmt::format("{} features for {} blocks; expected {} or more", features, block_sizes.size(),
                    row));
  check_points_arguments(1, noise, who);
  Random random(seed);
  Dataset dataset = block_graph(block_sizes, row, p_in, p_out, random, "attributed_block_model");
  Matrix values = Matrix::Zero(dataset.size(), features);
  const auto& code = std::get<ClassLabels>(dataset.labels).code;
  for (std::size_t i = 0; i < code.size(); ++i) {
    values(static_cast<Index>(i), code[i] % static_cast<std::int32_t>(row)) = 1.0;
  }
  add_noise(values, noise, random);
  dataset.features = Points{.values = std::move(values), .feature_names = {}};
  dataset.source = fmt::format(
      "attributed_block_model(blocks {}, p_in {}, p_out {}, {} features, noise {}, seed {})",
      fmt::join(block_sizes, "+"), p_in, p_out, features, noise, seed);
  return dataset;
}

}  // namespace stkr
