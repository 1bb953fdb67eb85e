#include "kernel_product_launch.cuh"
#include "kernel_product_resident.cuh"

namespace stkr::cuda {
namespace {

template <class Shape>
void launch(const TileProblem<float>& problem) {
  const bool rbf = problem.formula.kind == FormulaKind::rbf;
  launch_together(rbf ? resident_product<Shape, true> : resident_product<Shape, false>, problem,
                  problem.schedule.workers, tile_threads, Shape::shared_bytes, 1, "kernel product");
}

}  // namespace

void launch_half(const TileProblem<float>& problem, std::size_t features) {
  if (features == 16) return launch<TileShape<1, 128, 16, 4, 2>>(problem);
  if (features == 32) return launch<TileShape<1, 128, 32, 4, 2>>(problem);
  if (features == 64) return launch<TileShape<1, 128, 64, 3, 2>>(problem);
  launch<TileShape<1, 64, 128, 3, 2>>(problem);
}

}  // namespace stkr::cuda
