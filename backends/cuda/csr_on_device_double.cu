#include "csr_on_device_kernels.cuh"

namespace stkr::cuda::kernels {
namespace {

template <class Weight>
void run(const CsrPointers& matrix, const Weight* value, double a, ConstCudaView z, double b,
         ConstCudaView x, double c, CudaView y, double* partial) {
  auto step = csr_arguments<double, Weight, double>(matrix);
  step.value = value;
  step.partial = partial;
  step.columns = static_cast<int>(y.cols());
  step.z = z.data();
  step.z_stride = z.stride();
  step.a = a;
  step.b = b;
  step.c = c;
  step.x = x.data();
  step.x_stride = x.stride();
  step.y = y.data();
  step.y_stride = y.stride();
  run_csr(step);
}

}  // namespace

void csr_step(const CsrPointers& matrix, double a, ConstCudaView z, double b, ConstCudaView x,
              double c, CudaView y, double* partial) {
  if (y.rows() == 0 || y.cols() == 0) return;
  if (matrix.row_factor) {
    run<void>(matrix, nullptr, a, z, b, x, c, y, partial);
  } else if (matrix.value) {
    run(matrix, matrix.value, a, z, b, x, c, y, partial);
  } else {
    run(matrix, matrix.single_value, a, z, b, x, c, y, partial);
  }
}

}  // namespace stkr::cuda::kernels
