#include "runtime/parallel.hpp"

#include "runtime/thread_count.hpp"
#include "thread_pool.hpp"

namespace stkr {

int resolve_threads(int threads) {
  static const int available = default_threads();
  return threads > 0 ? threads : available;
}

namespace detail {

void run_tasks(Index tasks, int threads, void (*body)(void*, Index), void* context) {
  run_on_pool(tasks, resolve_threads(threads), body, context);
}

}  // namespace detail
}  // namespace stkr
