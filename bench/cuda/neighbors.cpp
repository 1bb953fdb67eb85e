// The exact neighbor search on the device: MNIST (70,000 x 784, from a file of pixels) and
// clustered points (1,000,000 x 64). Prints the stages, the rows that needed double precision, and
// whether random rows agree with all distances computed on the host.
//
// neighbors [--mnist FILE] [--points N] [--tight N] [--portable] [--reps N]

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "neighbor_search.hpp"

namespace {

using namespace stkr::cuda;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Points {
  std::string name;
  std::int64_t count, features;
  std::vector<float> values;
};

Points mnist(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> pixels((std::istreambuf_iterator<char>(file)), {});
  Points points{"MNIST", static_cast<std::int64_t>(pixels.size()) / 784, 784, {}};
  for (const char pixel : pixels) {
    points.values.push_back(static_cast<float>(static_cast<unsigned char>(pixel)) / 255.0F);
  }
  return points;
}

// Nearly normal: the sum of four uniform numbers, of variance 1.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
  }
  float normal() {
    const std::uint64_t all = bits();
    const auto sum = static_cast<float>((all & 0xFFFF) + (all >> 16 & 0xFFFF) +
                                        (all >> 32 & 0xFFFF) + (all >> 48));
    return (sum / 65536.0F - 2.0F) * 1.7320508F;
  }

 private:
  std::uint64_t state_;
};

// Clusters of standard deviation `spread` around centers of standard deviation 2.
Points clusters(std::int64_t count, std::int64_t features, std::int64_t center_count,
                float spread) {
  Points points{"clusters", count, features, std::vector<float>(count * features)};
  Generator generator(7);
  std::vector<float> centers(center_count * features);
  for (float& value : centers) value = 2.0F * generator.normal();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto c = static_cast<std::int64_t>(generator.bits() % center_count);
    for (std::int64_t f = 0; f < features; ++f) {
      points.values[i * features + f] = centers[c * features + f] + spread * generator.normal();
    }
  }
  return points;
}

// How many of `rows` random rows have exactly the neighbors that sorting all distances gives.
int right_rows(const Points& points, int k, const NearestPoints& found, int rows) {
  std::vector<char> right(rows, 0);
  std::vector<std::thread> threads;
  const int workers = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  for (int t = 0; t < workers; ++t) {
    threads.emplace_back([&, t] {
      for (int r = t; r < rows; r += workers) {
        Generator generator(r);
        const auto q = static_cast<std::int64_t>(generator.bits() % points.count);
        std::vector<std::pair<double, std::int32_t>> all;
        const float* x = points.values.data() + q * points.features;
        for (std::int64_t j = 0; j < points.count; ++j) {
          if (j == q) continue;
          const float* y = points.values.data() + j * points.features;
          all.emplace_back(ordered_distance(x, y, points.features), static_cast<std::int32_t>(j));
        }
        std::partial_sort(all.begin(), all.begin() + k, all.end());
        bool same = true;
        for (int i = 0; i < k; ++i) {
          same &=
              found.index[q * k + i] == all[i].second && found.distance[q * k + i] == all[i].first;
        }
        right[r] = same;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return static_cast<int>(std::count(right.begin(), right.end(), 1));
}

// The most device memory in use so far, in GB. Starts again from what is in use now.
double used_memory() {
  cudaMemPool_t pool{};
  cudaDeviceGetDefaultMemPool(&pool, 0);
  std::uint64_t most = 0, again = 0;
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &most);
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &again);
  return 1e-9 * static_cast<double>(most);
}

void measure(const Points& points, int k, bool portable, int repetitions) {
  constexpr int kChecked = 96;
  const NeighborSettings settings{.portable = portable, .timed = true};
  const auto make = [&] {
    return NeighborSearch(points.values.data(), points.count, points.features, settings);
  };
  std::printf(
      "%s: %lld x %lld, k = %d%s; device memory planned: %.2f GB\n", points.name.c_str(),
      static_cast<long long>(points.count), static_cast<long long>(points.features), k,
      portable ? ", portable kernels" : "",
      1e-9 * static_cast<double>(neighbor_search_bytes(points.count, points.features, 0, k)));
  NearestPoints found = make().among_themselves(k);  // warm-up
  used_memory();
  Clock::time_point start = Clock::now();
  NeighborSearch search = make();
  const double upload = milliseconds_since(start);
  std::vector<double> total, wall;
  NeighborTimes typical;
  for (int r = 0; r < repetitions; ++r) {
    start = Clock::now();
    NearestPoints next = search.among_themselves(k);
    wall.push_back(milliseconds_since(start));
    const NeighborTimes& t = search.times();
    total.push_back(t.pack + t.scan + t.decide + t.again);
    typical = t;
    if (next.index != found.index || next.distance != found.distance) {
      std::printf("  DIFFERENT RESULTS in two runs\n");
    }
  }
  std::sort(total.begin(), total.end());
  std::sort(wall.begin(), wall.end());
  std::printf("  pack %.3f, scan %.3f, decide %.3f, again %.3f ms\n", typical.pack, typical.scan,
              typical.decide, typical.again);
  std::printf(
      "  device total %.2f ms (median of %d; %.2f to %.2f); with download %.2f ms; "
      "upload and pack %.2f ms\n",
      total[total.size() / 2], repetitions, total.front(), total.back(), wall[wall.size() / 2],
      upload);
  std::printf("  rows searched again in double precision: %lld\n",
              static_cast<long long>(found.searched_again));
  std::printf("  device memory used: %.2f GB\n", used_memory());
  // New samples: the first points again, each its own nearest.
  const std::int64_t asked = std::min<std::int64_t>(10000, points.count);
  std::vector<double> reach(points.count);
  for (std::int64_t i = 0; i < points.count; ++i) reach[i] = found.distance[i * k + k - 1];
  for (int r = 0; r < 2; ++r) {  // the second time counts
    start = Clock::now();
    const NearestPoints near = search.of(points.values.data(), asked, k);
    const double near_time = milliseconds_since(start);
    const NeighborTimes& t = search.times();
    const double device = t.pack + t.scan + t.decide + t.again;
    start = Clock::now();
    const ReachingPoints reaching = search.reaching(points.values.data(), asked, reach);
    const double reach_time = milliseconds_since(start);
    if (r == 0) continue;
    std::printf(
        "  %lld queries: %.2f ms on the device, %.2f ms with transfers; who reaches them: %.2f ms, "
        "%zu pairs\n",
        static_cast<long long>(asked), device, near_time, reach_time, reaching.index.size());
  }
  std::printf("  random rows right: %d of %d\n", right_rows(points, k, found, kChecked), kChecked);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::string mnist_path;
  std::int64_t count = 1000000, tight = 0;
  bool portable = false;
  int repetitions = 7;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--portable") portable = true;
    if (i + 1 == argc) break;
    if (option == "--mnist") mnist_path = argv[i + 1];
    if (option == "--points") count = std::atoll(argv[i + 1]);
    if (option == "--tight") tight = std::atoll(argv[i + 1]);
    if (option == "--reps") repetitions = std::atoi(argv[i + 1]);
  }
  if (!mnist_path.empty()) measure(mnist(mnist_path), 10, portable, repetitions);
  if (tight > 0) measure(clusters(tight, 64, 5, 1e-3F), 10, portable, repetitions);
  if (count > 0) measure(clusters(count, 64, 1000, 1.0F), 10, portable, repetitions);
}
