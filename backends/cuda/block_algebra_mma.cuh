#pragma once

namespace stkr::cuda {

// d += a b on the tensor cores in double precision: an 8 × 4 matrix times a 4 × 8 matrix, by a
// warp. Thread t holds a(t/4, t%4), b(t%4, t/4) and d(t/4, 2(t%4) + {0, 1}).
__device__ inline void multiply_add_8x8x4(double (&d)[2], double a, double b) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(d[0]), "+d"(d[1])
      : "d"(a), "d"(b));
}

}  // namespace stkr::cuda
