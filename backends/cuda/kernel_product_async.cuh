#pragma once

#include <cstdint>

// Barriers, bulk copies and fences of compute capability 9.0.
namespace stkr::cuda {

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// Barriers are named by their address in shared memory.
__device__ inline void barrier_init(std::uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

__device__ inline void barrier_arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ inline void barrier_expect(std::uint32_t barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

__device__ inline void barrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  asm volatile(
      "{\n.reg .pred p;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@p bra done;\n"
      "bra again;\n"
      "done:\n}\n" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// Bytes are a multiple of 16, both addresses too. Completion is counted by the barrier.
__device__ inline void bulk_load(std::uint32_t to, const void* from, std::uint32_t bytes,
                                 std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}

// The same into both blocks of a cluster, at the same places.
__device__ inline void bulk_load_both(std::uint32_t to, const void* from, std::uint32_t bytes,
                                      std::uint32_t barrier) {
  const std::uint16_t both = 3;
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1], %2, [%3], %4;" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier), "h"(both)
      : "memory");
}

__device__ inline std::uint32_t cluster_rank() {
  std::uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// A barrier of the other block of a cluster.
__device__ inline std::uint32_t barrier_of_peer(std::uint32_t barrier, std::uint32_t rank) {
  std::uint32_t address;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(barrier), "r"(rank ^ 1));
  return address;
}
// Only tensor cores have read what is given free, and they are done: no order with other accesses
// of this thread is needed, and that of a whole cluster would take long.
__device__ inline void barrier_arrive_at_peer(std::uint32_t address) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(address) : "memory");
}

__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

// *to += *from for a whole array in shared memory, by the memory system.
__device__ inline void bulk_add(float* to, std::uint32_t from, std::uint32_t bytes) {
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to),
      "r"(from), "r"(bytes)
      : "memory");
}
__device__ inline void bulk_add(double* to, std::uint32_t from, std::uint32_t bytes) {
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%0], [%1], %2;" ::"l"(to),
      "r"(from), "r"(bytes)
      : "memory");
}
__device__ inline void bulk_add_finish() {
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

// Between ordinary accesses and those of tensor cores and bulk copies to the same memory.
__device__ inline void fence_proxy_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void mma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void mma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int Groups>
__device__ inline void mma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Groups) : "memory");
}

// A matrix of 8 × 8 core matrices in shared memory, without swizzle. Steps are bytes from one core
// matrix to the next along the summed dimension and across it. In a cluster, addresses have the
// block's rank above their 18 bits. Moved by adding bytes / 16, which never carries into the other
// fields.
struct MatrixDescriptor {
  std::uint32_t low;
  std::uint32_t high;

  __device__ MatrixDescriptor(std::uint32_t address, std::uint32_t along, std::uint32_t across)
      : low((address >> 4 & 0x3fff) | along >> 4 << 16), high(across >> 4) {}
  __device__ std::uint64_t at(std::uint32_t bytes) const {
    std::uint64_t descriptor;
    asm("mov.b64 %0, {%1, %2};" : "=l"(descriptor) : "r"(low + (bytes >> 4)), "r"(high));
    return descriptor;
  }
};

// Four 8 × 8 matrices of halves, transposed; lane l gives the address of row l % 8 of matrix l / 8.
__device__ inline void store_transposed(std::uint32_t address, const std::uint32_t* values) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
      "r"(values[0]), "r"(values[1]), "r"(values[2]), "r"(values[3])
      : "memory");
}

// Four 8 × 8 matrices of halves, addressed like those of store_transposed.
__device__ inline void load_matrices(std::uint32_t (&values)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(values[0]), "=r"(values[1]), "=r"(values[2]), "=r"(values[3])
               : "r"(address)
               : "memory");
}

__device__ inline unsigned load_acquire(const unsigned* address) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}
__device__ inline void store_release(unsigned* address, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

// The same value, which the compiler must keep: computing it again from the thread's index is slow.
__device__ inline std::uint32_t kept(std::uint32_t value) {
  std::uint32_t copy;
  asm volatile("mov.b32 %0, %1;" : "=r"(copy) : "r"(value));
  return copy;
}

template <int Registers>
__device__ inline void more_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
__device__ inline void fewer_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}

#endif

}  // namespace stkr::cuda
