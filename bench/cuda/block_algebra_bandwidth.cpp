// Memory throughput of the block operations that dominate a fit, at 10,000,000 rows. Build and run:
//   bench/cuda/csr_product.sh
// Bytes count every number read and written once. Times are medians of 15 after 3 warm-ups and
// include the copy of results to the host where there is one.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

#include "cuda_block.hpp"
#include "eigenspace_on_device.hpp"

namespace {

using namespace stkr;
using namespace stkr::cuda;

double median_ms(const std::function<void()>& run) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "event");
  check(cudaEventCreate(&end), "event");
  std::vector<float> all;
  for (int k = 0; k < 18; ++k) {
    check(cudaEventRecord(begin), "record");
    run();
    check(cudaEventRecord(end), "record");
    check(cudaEventSynchronize(end), "operation");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end), "elapsed");
    if (k >= 3) all.push_back(ms);
  }
  std::nth_element(all.begin(), all.begin() + 7, all.end());
  return all[7];
}

void measure(Index n, Index columns) {
  CudaBlock x(n, columns), y(n, columns), u(n, columns), v(n, columns), w(n, columns);
  for (CudaBlock* block : {&x, &y, &u, &v, &w}) {
    upload(Matrix::Constant(n, columns, 0.1), *block);
  }
  const Vector a = Vector::LinSpaced(columns, 0.9, 1.1);
  const DirectionStep step{a, a, a, 0.1 * a};
  const Matrix small = Matrix::Random(columns, columns) / static_cast<double>(columns);
  const Matrix upper = small.triangularView<Eigen::Upper>();
  const KnownEigenspace space(1.0, 1, std::vector<std::int32_t>(n, 0), Vector::Ones(n));
  const double block = 8e-9 * static_cast<double>(n * columns);  // GB
  const double flops = 2e-9 * static_cast<double>(n * columns * columns);
  std::printf("%lld x %lld\n", static_cast<long long>(n), static_cast<long long>(columns));
  const auto show = [&](const char* name, double passes, const std::function<void()>& run) {
    const double ms = median_ms(run);
    std::printf("  %-24s %7.3f ms  %6.0f GB/s", name, ms, passes * block / ms * 1e3);
    std::printf(flops > 4.0 * block ? "  (%.1f TFLOP/s if a square product)\n" : "\n", flops / ms);
  };
  show("copy_block", 2, [&] { copy_block(x, y, 1); });
  show("axpby", 3, [&] { axpby(0.5, x, 0.5, y, 1); });
  show("recurrence_step", 4, [&] { recurrence_step(0.3, u, 0.3, x, 0.3, y, 1); });
  show("add_scaled", 3, [&] { add_scaled(0.01 * a, x, y, 1); });
  show("direction_step", 6, [&] { direction_step(step, v, u, x, w, y, 1); });
  show("column_dots", 2, [&] { column_dots(x, u, 1); });
  show("column_norms", 1, [&] { column_norms(x, 1); });
  show("all_finite", 1, [&] { all_finite(x, 1); });
  show("project_out", 3, [&] { project_out(space, v, 1); });
  show("tall_product", 2, [&] { tall_product(x, u, 1); });
  show("symmetric_tall_product", 1, [&] { symmetric_tall_product(x, x, 1); });
  show("subtract_product", 3, [&] { subtract_product(x, 1e-3 * small, y, 1); });
  show("multiply_by_upper", 2, [&] { multiply_by_upper(w, upper, 1); });
  clear_eigenspaces();
}

}  // namespace

int main() {
  measure(10'000'000, 10);
  measure(10'000'000, 1);
  measure(1'000'000, 64);
  measure(200'000, 300);
}
