#pragma once

#include "stkr/matrix.hpp"

namespace stkr::detail {

// Runs body(context, task) for task = 0, ..., tasks - 1 on the calling thread and up to `threads` -
// 1 workers, and rethrows the exception of the lowest-numbered failing task. A nested region runs
// on its calling thread only.
//
// Workers belong to the process: they start when a region first needs them and then sleep until the
// next one. A region never waits for a worker that has not begun, so on a busy machine it costs no
// more than a single thread. If no more threads can be started, it runs on the existing ones. After
// a fork, the child starts its own workers.
void run_on_pool(Index tasks, int threads, void (*body)(void*, Index), void* context);

}  // namespace stkr::detail
