#pragma once

#include "stkr/linop/matrix.hpp"

namespace stkr::detail {

// Runs body(context, task) for task = 0, ..., tasks - 1 on the calling thread and up to
// `threads` - 1 workers; the exception of the lowest-numbered failing task is rethrown. A region
// inside another one runs on its own thread alone.
//
// Workers belong to the process: they start when a region first wants them, and then sleep until
// the next one. A region never waits for a worker that has not begun, so on a busy machine it costs
// what one thread costs. Where no more threads can be started, it runs on those that there are.
// After a fork the child starts workers of its own.
void run_on_pool(Index tasks, int threads, void (*body)(void*, Index), void* context);

}  // namespace stkr::detail
