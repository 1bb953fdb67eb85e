#include "stkr/linop/parallel.hpp"

#include <omp.h>

namespace stkr {

int resolve_threads(int threads) { return threads > 0 ? threads : omp_get_num_procs(); }

namespace detail {

void run_tasks(Index tasks, int threads, void (*body)(void*, Index), void* context) {
  const int team = static_cast<int>(std::min<Index>(resolve_threads(threads), tasks));
  if (team <= 1 || omp_in_parallel()) {
    for (Index task = 0; task < tasks; ++task) body(context, task);
    return;
  }
  // Exceptions must not leave an OpenMP region: keep the one of the lowest task, as a serial loop
  // would have thrown it.
  std::exception_ptr failure;
  Index failed_task = tasks;
#pragma omp parallel for schedule(dynamic, 1) num_threads(team)
  for (Index task = 0; task < tasks; ++task) {
    try {
      body(context, task);
    } catch (...) {
#pragma omp critical(stkr_run_tasks)
      if (task < failed_task) {
        failed_task = task;
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace detail
}  // namespace stkr
