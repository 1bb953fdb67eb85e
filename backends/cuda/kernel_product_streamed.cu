#include "kernel_product_launch.cuh"
#include "kernel_product_streamed.cuh"

namespace stkr::cuda {
namespace {

template <class Shape>
void launch(const TileProblem<typename Shape::Sum>& problem) {
  const bool rbf = problem.formula.kind == FormulaKind::rbf;
  launch_together(rbf ? streamed_product<Shape, true> : streamed_product<Shape, false>, problem,
                  problem.schedule.workers * Shape::cluster, tile_threads, Shape::shared_bytes,
                  Shape::cluster, "kernel product");
}

// Not all multiprocessors need have a partner.
template <class Shape>
int clusters_at_once() {
  const auto kernel = streamed_product<Shape, true>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             Shape::shared_bytes),
        "cudaFuncSetAttribute");
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {Shape::cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(device_multiprocessors()) / 2 * 2);
  config.blockDim = dim3(tile_threads);
  config.dynamicSmemBytes = Shape::shared_bytes;
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0;
  check(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config),
        "cudaOccupancyMaxActiveClusters");
  return clusters;
}

using Half = TileShape<1, 128, 0, 3, 1>;
using Half3 = TileShape<2, 64, 0, 3, 1>;

}  // namespace

int streamed_clusters(ProductPrecision precision) {
  return precision == ProductPrecision::half ? clusters_at_once<Half>() : clusters_at_once<Half3>();
}

void launch_half_streamed(const TileProblem<float>& problem) { launch<Half>(problem); }

void launch_half3_streamed(const TileProblem<double>& problem) { launch<Half3>(problem); }

}  // namespace stkr::cuda
