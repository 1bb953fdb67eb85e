// Sparse block products of the CUDA backend beside cuSPARSE, in one run on one card. Build and run:
//   bench/cuda/csr_product.sh
// Every result is compared with a sum in double precision on the host, on 201 rows. Times are
// medians of 15 after 3 warm-ups, of the product alone: the block is on the device, in the
// precision of the product. "Unweighted" is the product with the pattern; what its factors cost in
// addition is in the last table.

#include <cusparse.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "block_algebra_kernels.hpp"
#include "csr_on_device_kernels.cuh"
#include "csr_on_device_segments.hpp"
#include "csr_product_graphs.hpp"

namespace {

using namespace csr_product;
using stkr::cuda::check;
using stkr::cuda::ConstCudaView;
using stkr::cuda::CudaBlock;
using stkr::cuda::CudaView;
using stkr::cuda::DeviceArray;
namespace kernels = stkr::cuda::kernels;

double median_ms(const std::function<void()>& run, int times = 15) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "event");
  check(cudaEventCreate(&end), "event");
  std::vector<float> all;
  for (int k = 0; k < times + 3; ++k) {
    check(cudaEventRecord(begin), "record");
    run();
    check(cudaEventRecord(end), "record");
    check(cudaEventSynchronize(end), "product");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end), "elapsed");
    if (k >= 3) all.push_back(ms);
  }
  check(cudaEventDestroy(begin), "event");
  check(cudaEventDestroy(end), "event");
  std::nth_element(all.begin(), all.begin() + times / 2, all.end());
  return all[times / 2];
}

void check_sparse(cusparseStatus_t status, const char* what) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  std::printf("cuSPARSE: %s: %s\n", what, cusparseGetErrorString(status));
  std::exit(1);
}

// A graph on the device, in all forms.
struct DeviceGraph {
  explicit DeviceGraph(const Graph& g)
      : row_start(std::span(g.row_start)),
        column(std::span(g.column)),
        value(std::span(g.value)),
        single_value(g.value.size()) {
    std::vector<std::int32_t> starts(g.row_start.begin(), g.row_start.end());
    row_start_32 = DeviceArray<std::int32_t>(std::span<const std::int32_t>(starts));
    kernels::to_float(value.data(), static_cast<std::int64_t>(value.size()), single_value.data());
    const kernels::CsrSegments found(g.row_start);
    long_row = DeviceArray<std::int32_t>(std::span(found.long_row));
    segment_row = DeviceArray<std::int32_t>(std::span(found.segment_row));
    first_segment = DeviceArray<std::int64_t>(std::span(found.first_segment));
    pointers.rows = g.nodes;
    pointers.row_start = row_start.data();
    pointers.column = column.data();
    pointers.value = value.data();
    pointers.single_value = single_value.data();
    pointers.segments = static_cast<std::int64_t>(found.segment_row.size());
    pointers.split_rows = found.split_rows;
    pointers.long_row = long_row.data();
    pointers.segment_row = segment_row.data();
    pointers.first_segment = first_segment.data();
  }
  DeviceArray<std::int64_t> row_start;
  DeviceArray<std::int32_t> row_start_32, column;
  DeviceArray<double> value;
  DeviceArray<float> single_value;
  DeviceArray<std::int32_t> long_row, segment_row;
  DeviceArray<std::int64_t> first_segment;
  kernels::CsrPointers pointers;
};

struct Measured {
  double ms, error;
};

template <class T>
Measured measure(const Graph& g, bool weighted, const std::vector<double>& x, int columns,
                 std::int64_t stride, DeviceArray<T>& y, const std::function<void()>& run) {
  check(cudaMemset(y.data(), 0xff, sizeof(T) * y.size()), "memset");  // NaN
  const double ms = median_ms(run);
  const auto row = [&](std::int64_t i) {
    std::vector<T> host(columns);
    check(
        cudaMemcpy(host.data(), y.data() + i * stride, sizeof(T) * columns, cudaMemcpyDeviceToHost),
        "row");
    return host;
  };
  return {ms, largest_error(g, weighted, x, columns, row)};
}

template <class T>
class CuSparse {
 public:
  CuSparse(const Graph& g, const DeviceGraph& d, const T* value, T* x, T* y, int columns,
           std::int64_t stride, cusparseSpMMAlg_t algorithm)
      : algorithm_(algorithm) {
    constexpr auto type = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
    type_ = type;
    check_sparse(cusparseCreate(&handle_), "create");
    check_sparse(
        cusparseCreateCsr(&a_, g.nodes, g.nodes, static_cast<std::int64_t>(g.column.size()),
                          const_cast<std::int32_t*>(d.row_start_32.data()),
                          const_cast<std::int32_t*>(d.column.data()), const_cast<T*>(value),
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type),
        "csr");
    check_sparse(cusparseCreateDnMat(&x_, g.nodes, columns, stride, x, type, CUSPARSE_ORDER_ROW),
                 "x");
    check_sparse(cusparseCreateDnMat(&y_, g.nodes, columns, stride, y, type, CUSPARSE_ORDER_ROW),
                 "y");
    std::size_t bytes = 0;
    check_sparse(cusparseSpMM_bufferSize(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                         CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, a_, x_, &zero_,
                                         y_, type, algorithm, &bytes),
                 "size");
    buffer_ = DeviceArray<char>(std::max<std::size_t>(bytes, 16));
    check_sparse(cusparseSpMM_preprocess(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                         CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, a_, x_, &zero_,
                                         y_, type, algorithm, buffer_.data()),
                 "preprocess");
  }
  void run() {
    check_sparse(
        cusparseSpMM(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
                     &one_, a_, x_, &zero_, y_, type_, algorithm_, buffer_.data()),
        "SpMM");
  }
  ~CuSparse() {
    cusparseDestroyDnMat(x_);
    cusparseDestroyDnMat(y_);
    cusparseDestroySpMat(a_);
    cusparseDestroy(handle_);
  }

 private:
  cusparseSpMMAlg_t algorithm_;
  cudaDataType type_;
  cusparseHandle_t handle_;
  cusparseSpMatDescr_t a_;
  cusparseDnMatDescr_t x_, y_;
  T one_ = 1, zero_ = 0;
  DeviceArray<char> buffer_;
};

template <class T, class Weight>
void own(const DeviceGraph& d, const Weight* value, const T* x, T* y, T* partial, int columns,
         std::int64_t stride) {
  auto step = kernels::csr_arguments<T, Weight, T>(d.pointers);
  step.value = value;
  step.partial = partial;
  step.columns = columns;
  step.z = step.x = x;
  step.z_stride = step.x_stride = step.y_stride = stride;
  step.a = 1;
  step.y = y;
  kernels::run_csr(step);
}

template <class T>
void compare(const Graph& g, const DeviceGraph& d, const T* value, const std::vector<double>& x,
             const T* dx, int columns, std::int64_t stride) {
  DeviceArray<T> y(g.nodes * stride),
      partial(std::max<std::int64_t>(1, d.pointers.segments * columns));
  T* input = const_cast<T*>(dx);
  double peers[3], worst_peer = 0.0;
  const cusparseSpMMAlg_t algorithms[] = {CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_CSR_ALG2,
                                          CUSPARSE_SPMM_CSR_ALG3};
  for (int k = 0; k < 3; ++k) {
    CuSparse<T> peer(g, d, value, input, y.data(), columns, stride, algorithms[k]);
    const Measured m = measure(g, true, x, columns, stride, y, [&] { peer.run(); });
    peers[k] = m.ms;
    worst_peer = std::max(worst_peer, m.error);
  }
  const Measured weighted = measure(g, true, x, columns, stride, y, [&] {
    own<T, T>(d, value, dx, y.data(), partial.data(), columns, stride);
  });
  const Measured unweighted = measure(g, false, x, columns, stride, y, [&] {
    own<T, void>(d, nullptr, dx, y.data(), partial.data(), columns, stride);
  });
  std::printf("%-10s f%d %3d | %7.3f %7.3f %7.3f | %7.3f %7.3f | %5.2f %5.2f | %.0e %.0e %.0e\n",
              g.name.c_str(), static_cast<int>(8 * sizeof(T)), columns, peers[0], peers[1],
              peers[2], weighted.ms, unweighted.ms, peers[2] / weighted.ms,
              peers[2] / unweighted.ms, worst_peer, weighted.error, unweighted.error);
  std::fflush(stdout);
}

void header(std::int64_t nodes, std::size_t entries) {
  std::printf("\n%lld nodes, %zu entries; ms\n", static_cast<long long>(nodes), entries);
  std::printf(
      "graph    type   C | default  CSR2    CSR3   | weighted unwtd  | ALG3/w  /u  | errors: "
      "cuSPARSE, weighted, unweighted\n");
}

std::vector<double> numbers(std::int64_t count) {
  std::vector<double> x(count);
  in_parallel(count, [&x](std::int64_t begin, std::int64_t end) {
    // Floats, so that both precisions multiply the same numbers.
    for (std::int64_t k = begin; k < end; ++k) {
      x[k] = static_cast<float>(unit(3 * k + 7) * 2.0 - 1.0);
    }
  });
  return x;
}

void compare_all(const Graph& g, const std::vector<int>& columns, bool whole_steps) {
  header(g.nodes, g.column.size());
  const DeviceGraph d(g);
  for (const int c : columns) {
    const std::vector<double> x = numbers(g.nodes * c);
    const DeviceArray<double> dx{std::span<const double>(x)};
    const std::int64_t single_stride = kernels::gather_stride<float>(c);
    DeviceArray<float> fx(g.nodes * single_stride);
    const ConstCudaView view(dx.data(), g.nodes, c, c);
    kernels::to_float(nullptr, view, fx.data());
    compare<float>(g, d, d.single_value.data(), x, fx.data(), c, single_stride);
    compare<double>(g, d, d.value.data(), x, dx.data(), c, c);
    if (!whole_steps) continue;
    // y ← a A x + b x + c y as a solver calls it, with everything that belongs to it.
    CudaBlock y(g.nodes, c);
    const std::int64_t stride = kernels::gather_stride<double>(c);
    DeviceArray<double> copy(g.nodes * stride);
    const CudaView z(copy.data(), g.nodes, c, stride);
    check(cudaMemset(y.data(), 0, sizeof(double) * g.nodes * y.stride()), "memset");
    DeviceArray<double> partial(std::max<std::int64_t>(1, d.pointers.segments * c));
    DeviceArray<float> single_partial(partial.size());
    kernels::CsrPointers pattern = d.pointers;
    pattern.row_factor = d.value.data();  // any numbers
    const auto step = [&](const char* name, const std::function<void()>& run) {
      std::printf("  step of %2d columns, %-34s %7.3f ms\n", c, name, median_ms(run));
    };
    step("double, weighted",
         [&] { kernels::csr_step(d.pointers, 1e-3, view, 0.5, view, 0.1, y, partial.data()); });
    step("double, pattern and factors", [&] {
      kernels::scale_rows(ConstCudaView(d.value.data(), g.nodes, 1, 1), view, z);
      kernels::csr_step(pattern, 1e-3, z, 0.5, view, 0.1, y, partial.data());
    });
    step("single, weighted, with conversion", [&] {
      kernels::to_float(nullptr, view, fx.data());
      kernels::csr_step_single(d.pointers, 1e-3, fx.data(), 0.5, view, 0.1, y,
                               single_partial.data());
    });
    step("single, pattern, with conversion", [&] {
      kernels::to_float(d.value.data(), view, fx.data());
      kernels::csr_step_single(pattern, 1e-3, fx.data(), 0.5, view, 0.1, y, single_partial.data());
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool only_large = argc > 1 && std::string(argv[1]) == "large";
  const bool only_small = argc > 1 && std::string(argv[1]) == "small";
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0), "device");
  int driver = 0, runtime = 0;
  check(cudaDriverGetVersion(&driver), "driver");
  check(cudaRuntimeGetVersion(&runtime), "runtime");
  std::printf("%s, driver %d, CUDA %d\n", device.name, driver, runtime);
  if (!only_large) {
    for (const Kind kind : {Kind::random, Kind::power_law, Kind::local}) {
      compare_all(make_graph(kind, 2'000'000, 16), {8, 10, 16, 32}, false);
    }
  }
  if (!only_small) compare_all(make_graph(Kind::random, 10'000'000, 20), {10, 16}, true);
}
