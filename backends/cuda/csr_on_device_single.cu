#include "csr_on_device_kernels.cuh"

namespace stkr::cuda::kernels {
namespace {

template <class Weight>
void run(const CsrPointers& matrix, const Weight* value, double a, const float* z, double b,
         ConstCudaView x, double c, CudaView y, float* partial) {
  auto step = csr_arguments<float, Weight, double>(matrix);
  step.value = value;
  step.partial = partial;
  step.columns = static_cast<int>(y.cols());
  step.z = z;
  step.z_stride = gather_stride<float>(y.cols());
  step.a = a;
  step.b = b;
  step.c = c;
  step.x = x.data();
  step.x_stride = x.stride();
  step.y = y.data();
  step.y_stride = y.stride();
  run_csr(step);
}

// A thread converts up to four numbers of a row.
__global__ void to_float_kernel(const double* factor, const double* x, std::int64_t x_stride,
                                std::int64_t rows, int columns, int pieces, float* z,
                                std::int64_t z_stride) {
  const std::int64_t t = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t i = t / pieces;
  const int c = 4 * static_cast<int>(t % pieces);
  if (i >= rows) return;
  const double f = factor ? factor[i] : 1.0;
  const double* from = x + i * x_stride + c;
  float4 result;
  result.x = static_cast<float>(f * from[0]);
  result.y = c + 1 < columns ? static_cast<float>(f * from[1]) : 0.0f;
  result.z = c + 2 < columns ? static_cast<float>(f * from[2]) : 0.0f;
  result.w = c + 3 < columns ? static_cast<float>(f * from[3]) : 0.0f;
  *reinterpret_cast<float4*>(z + i * z_stride + c) = result;
}

__global__ void column_to_float_kernel(const double* factor, const double* x, std::int64_t x_stride,
                                       std::int64_t rows, float* z) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < rows) z[i] = static_cast<float>(factor ? factor[i] * x[i * x_stride] : x[i * x_stride]);
}

unsigned blocks_for(std::int64_t threads) { return static_cast<unsigned>((threads + 255) / 256); }

}  // namespace

void csr_step_single(const CsrPointers& matrix, double a, const float* z, double b, ConstCudaView x,
                     double c, CudaView y, float* partial) {
  if (y.rows() == 0 || y.cols() == 0) return;
  if (matrix.row_factor) {
    run<void>(matrix, nullptr, a, z, b, x, c, y, partial);
  } else {
    run(matrix, matrix.single_value, a, z, b, x, c, y, partial);
  }
}

void to_float(const double* factor, ConstCudaView x, float* z) {
  if (x.rows() == 0 || x.cols() == 0) return;
  if (x.cols() == 1) {
    column_to_float_kernel<<<blocks_for(x.rows()), 256>>>(factor, x.data(), x.stride(), x.rows(),
                                                          z);
  } else {
    const auto pieces = static_cast<int>((x.cols() + 3) / 4);
    to_float_kernel<<<blocks_for(x.rows() * pieces), 256>>>(factor, x.data(), x.stride(), x.rows(),
                                                            static_cast<int>(x.cols()), pieces, z,
                                                            gather_stride<float>(x.cols()));
  }
  check_launch("to_float");
}

void to_float(const double* values, std::int64_t count, float* result) {
  to_float(nullptr, ConstCudaView(values, count, 1, 1), result);
}

}  // namespace stkr::cuda::kernels
