#include "kernel_product_launch.cuh"
#include "kernel_product_resident.cuh"

namespace stkr::cuda {
namespace {

template <class Shape>
void launch(const TileProblem<double>& problem) {
  const bool rbf = problem.formula.kind == FormulaKind::rbf;
  launch_together(rbf ? resident_product<Shape, true> : resident_product<Shape, false>, problem,
                  problem.schedule.workers, tile_threads, Shape::shared_bytes, 1, "kernel product");
}

}  // namespace

void launch_half3(const TileProblem<double>& problem, std::size_t features) {
  if (features == 16) return launch<TileShape<2, 64, 16, 3, 2>>(problem);
  if (features == 32) return launch<TileShape<2, 64, 32, 3, 2>>(problem);
  launch<TileShape<2, 64, 64, 3, 1>>(problem);
}

}  // namespace stkr::cuda
