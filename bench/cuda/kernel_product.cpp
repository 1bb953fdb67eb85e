// Speed and error of kernel products on the device: Gpair/s = N²/time, with vectors packed and
// results in double, points packed before. Errors are relative, on sampled rows, against direct
// differences in double on the host. Data A: normal points, γ = 1/(2d), normal vectors. B: γ eight
// times larger. C: as A with positive vectors.
//
//   kernel_product                     all cases
//   kernel_product short               the first three
//   kernel_product PRECISION N D C     one case (half, half3 or full), without errors: for
//   profilers
#include "../../backends/cuda/kernel_product.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "../../backends/cuda/device_memory.hpp"

namespace {

using namespace stkr::cuda;

constexpr int sampled_rows = 64;

std::vector<float> normal_values(std::size_t count, unsigned seed) {
  std::vector<float> values(count);
  const int workers = 16;
  std::vector<std::thread> threads;
  for (int w = 0; w < workers; ++w) {
    threads.emplace_back([&, w] {
      std::mt19937 random(seed * 100 + w);
      std::normal_distribution<float> normal;
      for (std::size_t i = count * w / workers; i < count * (w + 1) / workers; ++i) {
        values[i] = normal(random);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return values;
}

struct Data {
  std::size_t n, d;
  int columns;
  std::vector<float> points;
  std::vector<double> vectors;
};

// The relative error of y on sampled rows.
double sampled_error(const Data& data, double length_scale, const std::vector<double>& y) {
  std::vector<double> differences(sampled_rows), sizes(sampled_rows);
  std::vector<std::thread> threads;
  for (int w = 0; w < 16; ++w) {
    threads.emplace_back([&, w] {
      for (int s = w; s < sampled_rows; s += 16) {
        const std::size_t i = (data.n - 1) * s / (sampled_rows - 1);
        std::vector<double> expected(data.columns, 0.0);
        for (std::size_t j = 0; j < data.n; ++j) {
          double squared = 0.0;
          for (std::size_t k = 0; k < data.d; ++k) {
            const double x = static_cast<double>(data.points[i * data.d + k]) -
                             static_cast<double>(data.points[j * data.d + k]);
            squared += x * x;
          }
          const double value = std::exp(-squared / (2.0 * length_scale * length_scale));
          for (int c = 0; c < data.columns; ++c) {
            expected[c] += value * data.vectors[j * data.columns + c];
          }
        }
        for (int c = 0; c < data.columns; ++c) {
          const double error = y[i * data.columns + c] - expected[c];
          differences[s] += error * error;
          sizes[s] += expected[c] * expected[c];
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  double difference = 0.0, size = 0.0;
  for (int s = 0; s < sampled_rows; ++s) difference += differences[s], size += sizes[s];
  return std::sqrt(difference / size);
}

struct Timing {
  double median_ms, least_ms, most_ms;
  bool same_bits;
  std::vector<double> y;
};

Timing measure(const PackedPoints& points, const Data& data, int repetitions) {
  const DeviceArray<double> v{std::span<const double>(data.vectors)};
  DeviceArray<double> y(data.vectors.size());
  const auto multiply = [&] {
    symmetric_product(points, v.data(), data.columns, data.columns, y.data(), data.columns);
  };
  multiply();
  Timing timing{0.0, 0.0, 0.0, true, y.download()};
  for (int i = 0; i < 2 && repetitions > 1; ++i) multiply();
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    check(cudaEventRecord(begin), "cudaEventRecord");
    multiply();
    check(cudaEventRecord(end), "cudaEventRecord");
    check(cudaEventSynchronize(end), "cudaEventSynchronize");
    float ms = 0.0f;
    check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
    times.push_back(ms);
  }
  timing.same_bits = y.download() == timing.y;
  std::sort(times.begin(), times.end());
  timing.median_ms = times[times.size() / 2];
  timing.least_ms = times.front();
  timing.most_ms = times.back();
  return timing;
}

const char* name_of(ProductPrecision precision) {
  if (precision == ProductPrecision::half) return "half";
  return precision == ProductPrecision::half3 ? "half3" : "full";
}

void run_case(Data& data, ProductPrecision precision, bool all_data, int repetitions) {
  double errors[3] = {NAN, NAN, NAN};
  Timing first{};
  std::string taken;
  for (int set = 0; set < (all_data ? 3 : 1); ++set) {
    const double gamma = (set == 1 ? 8.0 : 1.0) / (2.0 * static_cast<double>(data.d));
    const double length_scale = std::sqrt(1.0 / (2.0 * gamma));
    if (set == 2) {
      for (double& value : data.vectors) value = std::abs(value);
    }
    const PackedPoints points(data.points.data(), data.n, data.d,
                              {.kind = FormulaKind::rbf, .length_scale = length_scale}, precision);
    const Timing timing = measure(points, data, set == 0 ? repetitions : 1);
    errors[set] = sampled_error(data, length_scale, timing.y);
    if (set == 0) first = timing;
    taken += name_of(points.precision());
    taken += " ";
  }
  const double pairs = static_cast<double>(data.n) * static_cast<double>(data.n);
  std::printf(
      "| %-5s | %7zu | %4zu | %3d | %9.3f | %9.3f-%9.3f | %7.1f | %8.1e | %8.1e | %8.1e | %s | "
      "%s|\n",
      name_of(precision), data.n, data.d, data.columns, first.median_ms, first.least_ms,
      first.most_ms, pairs / first.median_ms * 1e-6, errors[0], errors[1], errors[2],
      first.same_bits ? "same" : "DIFFER", taken.c_str());
  std::fflush(stdout);
}

Data make_data(std::size_t n, std::size_t d, int columns) {
  const std::vector<float> vectors = normal_values(n * columns, 2);
  return {n, d, columns, normal_values(n * d, 1),
          std::vector<double>(vectors.begin(), vectors.end())};
}

void run_all(std::size_t n, std::size_t d, int columns, bool all_data, int repetitions,
             std::initializer_list<ProductPrecision> precisions) {
  for (const ProductPrecision precision : precisions) {
    Data data = make_data(n, d, columns);
    run_case(data, precision, all_data, repetitions);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5) {
    const std::string name = argv[1];
    const ProductPrecision precision = name == "half"    ? ProductPrecision::half
                                       : name == "half3" ? ProductPrecision::half3
                                                         : ProductPrecision::full;
    const Data data = make_data(std::atoll(argv[2]), std::atoll(argv[3]), std::atoi(argv[4]));
    const double length_scale = std::sqrt(static_cast<double>(data.d));
    const PackedPoints points(data.points.data(), data.n, data.d,
                              {.kind = FormulaKind::rbf, .length_scale = length_scale}, precision);
    const Timing timing = measure(points, data, 3);
    std::printf("%s %.3f ms\n", argv[1], timing.median_ms);
    return 0;
  }
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  std::printf("%s, %d multiprocessors, driver %d, runtime %d\n", properties.name,
              properties.multiProcessorCount, driver, runtime);
  std::printf(
      "| asked | N | d | columns | ms (median) | range | Gpair/s | error A | B | C | bits | taken "
      "|\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  using enum ProductPrecision;
  run_all(131072, 64, 16, true, 12, {half, half3, full});
  if (argc == 2) return 0;
  run_all(131072, 16, 16, true, 12, {half, half3});
  run_all(131072, 128, 16, true, 12, {half, half3});
  run_all(65536, 784, 16, true, 12, {half, half3, full});
  run_all(70001, 784, 10, false, 12, {half});
  run_all(131072, 64, 10, false, 12, {half});
  run_all(20000, 64, 16, false, 12, {half, half3, full});
  run_all(1000000, 64, 16, false, 3, {half, half3});
}
