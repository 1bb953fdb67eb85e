#pragma once

#include <algorithm>
#include <exception>

#include "stkr/matrix.hpp"

namespace stkr {

// Returns `threads` if it is positive, else default_threads().
int resolve_threads(int threads);

namespace detail {
// Runs body(context, task) for task = 0, ..., tasks-1 on `threads` threads and rethrows the
// exception of the lowest-numbered failing task.
void run_tasks(Index tasks, int threads, void (*body)(void*, Index), void* context);
}  // namespace detail

// Runs body(task) for every task on several threads. For deterministic results, a task must not
// depend on which thread runs it or when: partition the work by size, never by thread count.
template <class Body>
void parallel_tasks(Index tasks, int threads, Body&& body) {
  detail::run_tasks(
      tasks, threads,
      [](void* context, Index task) {
        (*static_cast<std::remove_reference_t<Body>*>(context))(task);
      },
      &body);
}

// Runs body(begin, end) over [0, size) in chunks of `grain`.
template <class Body>
void parallel_chunks(Index size, Index grain, int threads, Body&& body) {
  const Index tasks = (size + grain - 1) / grain;
  parallel_tasks(tasks, threads,
                 [&](Index task) { body(task * grain, std::min(size, (task + 1) * grain)); });
}

}  // namespace stkr
