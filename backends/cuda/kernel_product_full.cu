#include "kernel_product_full.cuh"
#include "kernel_product_launch.cuh"

namespace stkr::cuda {

void launch_full(const FullProblem& problem) {
  const bool rbf = problem.formula.kind == FormulaKind::rbf;
  launch_together(rbf ? full_product<true> : full_product<false>, problem, problem.schedule.workers,
                  full_threads, FullShared::bytes, 1, "kernel product");
}

}  // namespace stkr::cuda
