#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "neighbor_search.hpp"

// Points for the tests of the neighbor search on the device, and what it must find.
namespace stkr::cuda::testing {

inline bool no_device() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0;
}

struct TestPoints {
  std::string name;
  std::int64_t count = 0, features = 0;
  std::vector<float> values;

  const float* row(std::int64_t i) const { return values.data() + i * features; }
};

// `value(generator, i, f)` is coordinate f of point i.
template <class Value>
TestPoints make_points(std::string name, std::int64_t count, std::int64_t features,
                       const Value& value) {
  TestPoints points{std::move(name), count, features, {}};
  points.values.reserve(count * features);
  std::mt19937_64 generator(count * 131 + features);
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t f = 0; f < features; ++f) {
      points.values.push_back(static_cast<float>(value(generator, i, f)));
    }
  }
  return points;
}

inline double normal(std::mt19937_64& generator) {
  return std::normal_distribution<double>()(generator);
}

inline TestPoints normal_points(std::int64_t count, std::int64_t features, double scale = 1.0,
                                double offset = 0.0) {
  return make_points("normal", count, features, [=](auto& generator, auto, auto) {
    return offset + scale * normal(generator);
  });
}

// `centers` groups of standard deviation `spread`, with centers of standard deviation 1.
inline TestPoints clustered_points(std::int64_t count, std::int64_t features, std::int64_t centers,
                                   double spread) {
  const TestPoints center = normal_points(centers, features);
  return make_points("clustered", count, features, [&](auto& generator, auto i, auto f) {
    return center.row(i % centers)[f] + spread * normal(generator);
  });
}

// Sets on which rounding to half precision is harmless, useless, or impossible.
inline std::vector<TestPoints> difficult_points() {
  std::vector<TestPoints> sets;
  const auto add = [&](std::string name, TestPoints points) {
    points.name = std::move(name);
    sets.push_back(std::move(points));
  };
  add("normal", normal_points(1500, 20));
  add("far from the origin", normal_points(700, 12, 1.0, 1000.0));
  add("nearly equal", normal_points(1400, 9, 1e-6, 1.0));
  add("tight clusters", clustered_points(3000, 16, 2, 1e-3));
  add("clusters", clustered_points(2500, 40, 30, 0.3));
  add("huge norms", normal_points(800, 10, 1e18));
  add("tiny norms", normal_points(800, 10, 1e-30));
  add("subnormal coordinates", normal_points(500, 6, 3e-44));
  add("one far point", make_points("", 900, 5, [](auto& generator, auto i, auto) {
        return (i == 17 ? 1e15 : 1.0) * normal(generator);
      }));
  add("coordinates of all sizes", make_points("", 900, 6, [](auto& generator, auto i, auto) {
        return std::ldexp(normal(generator), static_cast<int>(i % 60) - 30);
      }));
  add("all at the same distance",
      make_points("", 700, 700, [](auto&, auto i, auto f) { return i == f ? 1.0 : 0.0; }));
  add("a square grid",
      make_points("", 1600, 2, [](auto&, auto i, auto f) { return f == 0 ? i / 40 : i % 40; }));
  add("small integers", make_points("", 1200, 30, [](auto& generator, auto, auto) {
        return static_cast<double>(generator() % 4);
      }));
  add("many equal points", make_points("", 1100, 3, [](auto& generator, auto, auto) {
        return static_cast<double>(generator() % 4);
      }));
  add("all points equal", make_points("", 900, 4, [](auto&, auto, auto) { return 0.1; }));
  add("zeros", make_points("", 300, 4, [](auto&, auto, auto) { return 0.0; }));
  return sets;
}

// Sorts all distances.
inline NearestPoints sorted_out(const TestPoints& queries, const TestPoints& points, int k,
                                bool themselves) {
  NearestPoints result;
  for (std::int64_t q = 0; q < queries.count; ++q) {
    std::vector<std::pair<double, std::int32_t>> all;
    for (std::int64_t j = 0; j < points.count; ++j) {
      if (themselves && j == q) continue;
      all.emplace_back(ordered_distance(queries.row(q), points.row(j), points.features),
                       static_cast<std::int32_t>(j));
    }
    const auto kept = std::min<std::size_t>(k, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end());
    all.resize(k, {0.0, -1});
    for (std::size_t r = 0; r < static_cast<std::size_t>(k); ++r) {
      result.index.push_back(r < kept ? all[r].second : -1);
      result.distance.push_back(r < kept ? all[r].first : 0.0);
    }
  }
  return result;
}

}  // namespace stkr::cuda::testing
