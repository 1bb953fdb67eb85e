#pragma once

#include <cstdint>

// The instructions of compute capability 9.0 that the neighbor search uses: bulk copies to shared
// memory, their barriers, and the product of 64 × 16 by 16 × 256 halves by a group of four warps.
namespace stkr::cuda::neighbor {

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ inline void start_barrier(std::uint64_t* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals));
}

__device__ inline void arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}

__device__ inline void arrive_and_expect(std::uint64_t* barrier, unsigned bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

__device__ inline void wait(std::uint64_t* barrier, unsigned phase) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra finished;\n"
      "bra again;\n"
      "finished:\n"
      "}\n" ::"r"(shared_address(barrier)),
      "r"(phase)
      : "memory");
}

__device__ inline void copy_to_shared(void* to, const void* from, unsigned bytes,
                                      std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

__device__ inline void fence_registers() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ inline void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

__device__ inline void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// Describes an operand in shared memory without swizzle: core matrices of 8 rows × 16 bytes follow
// each other along the rows; along the inner dimension they are `group_bytes` apart.
__device__ inline std::uint64_t operand(const void* start, unsigned group_bytes) {
  constexpr std::uint64_t kCoreMatrixBytes = 128;
  return static_cast<std::uint64_t>(shared_address(start) >> 4 & 0x3FFF) |
         static_cast<std::uint64_t>(group_bytes >> 4) << 16 | (kCoreMatrixBytes >> 4) << 32;
}

// v = left rightᵀ, plus v if `keep`.
__device__ inline void multiply(float (&v)[128], std::uint64_t left, std::uint64_t right,
                                int keep) {
  asm volatile(
      "{\n"
      ".reg .pred keep;\n"
      "setp.ne.b32 keep, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, "
      "%127}, "
      "%128, %129, keep, 1, 1, 0, 0;\n"
      "}\n"
      : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3]), "+f"(v[4]), "+f"(v[5]), "+f"(v[6]),
        "+f"(v[7]), "+f"(v[8]), "+f"(v[9]), "+f"(v[10]), "+f"(v[11]), "+f"(v[12]), "+f"(v[13]),
        "+f"(v[14]), "+f"(v[15]), "+f"(v[16]), "+f"(v[17]), "+f"(v[18]), "+f"(v[19]), "+f"(v[20]),
        "+f"(v[21]), "+f"(v[22]), "+f"(v[23]), "+f"(v[24]), "+f"(v[25]), "+f"(v[26]), "+f"(v[27]),
        "+f"(v[28]), "+f"(v[29]), "+f"(v[30]), "+f"(v[31]), "+f"(v[32]), "+f"(v[33]), "+f"(v[34]),
        "+f"(v[35]), "+f"(v[36]), "+f"(v[37]), "+f"(v[38]), "+f"(v[39]), "+f"(v[40]), "+f"(v[41]),
        "+f"(v[42]), "+f"(v[43]), "+f"(v[44]), "+f"(v[45]), "+f"(v[46]), "+f"(v[47]), "+f"(v[48]),
        "+f"(v[49]), "+f"(v[50]), "+f"(v[51]), "+f"(v[52]), "+f"(v[53]), "+f"(v[54]), "+f"(v[55]),
        "+f"(v[56]), "+f"(v[57]), "+f"(v[58]), "+f"(v[59]), "+f"(v[60]), "+f"(v[61]), "+f"(v[62]),
        "+f"(v[63]), "+f"(v[64]), "+f"(v[65]), "+f"(v[66]), "+f"(v[67]), "+f"(v[68]), "+f"(v[69]),
        "+f"(v[70]), "+f"(v[71]), "+f"(v[72]), "+f"(v[73]), "+f"(v[74]), "+f"(v[75]), "+f"(v[76]),
        "+f"(v[77]), "+f"(v[78]), "+f"(v[79]), "+f"(v[80]), "+f"(v[81]), "+f"(v[82]), "+f"(v[83]),
        "+f"(v[84]), "+f"(v[85]), "+f"(v[86]), "+f"(v[87]), "+f"(v[88]), "+f"(v[89]), "+f"(v[90]),
        "+f"(v[91]), "+f"(v[92]), "+f"(v[93]), "+f"(v[94]), "+f"(v[95]), "+f"(v[96]), "+f"(v[97]),
        "+f"(v[98]), "+f"(v[99]), "+f"(v[100]), "+f"(v[101]), "+f"(v[102]), "+f"(v[103]),
        "+f"(v[104]), "+f"(v[105]), "+f"(v[106]), "+f"(v[107]), "+f"(v[108]), "+f"(v[109]),
        "+f"(v[110]), "+f"(v[111]), "+f"(v[112]), "+f"(v[113]), "+f"(v[114]), "+f"(v[115]),
        "+f"(v[116]), "+f"(v[117]), "+f"(v[118]), "+f"(v[119]), "+f"(v[120]), "+f"(v[121]),
        "+f"(v[122]), "+f"(v[123]), "+f"(v[124]), "+f"(v[125]), "+f"(v[126]), "+f"(v[127])
      : "l"(left), "l"(right), "r"(keep));
}

}  // namespace stkr::cuda::neighbor
