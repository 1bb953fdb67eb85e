#pragma once

#include "device_memory.hpp"
#include "kernel_product_full.cuh"
#include "kernel_product_plain.hpp"
#include "kernel_product_tiles.cuh"

// The kernels of products, each compiled in its own file.
namespace stkr::cuda {

// All blocks must run at once: they wait for each other's turns. In clusters of `cluster` blocks.
template <class Problem>
void launch_together(void (*kernel)(Problem), const Problem& problem, int blocks, int threads,
                     int shared_bytes, int cluster, const char* name) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
        name);
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val.cooperative = 1;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  config.attrs = attributes;
  config.numAttrs = cluster > 1 ? 2 : 1;
  Problem copy = problem;
  void* arguments[] = {&copy};
  check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), arguments), name);
}

// Pairs of blocks that stream features and run at once.
int streamed_clusters(ProductPrecision precision);

// `features` are the padded ones. Up to the given number they stay in shared memory.
inline constexpr std::size_t most_resident_half = 128;
inline constexpr std::size_t most_resident_half3 = 64;
void launch_half(const TileProblem<float>& problem, std::size_t features);
void launch_half3(const TileProblem<double>& problem, std::size_t features);
void launch_half_streamed(const TileProblem<float>& problem);
void launch_half3_streamed(const TileProblem<double>& problem);
void launch_full(const FullProblem& problem);

}  // namespace stkr::cuda
