#pragma once

#include <mutex>

// OpenBLAS splits its work, and thus its rounding, by its own thread count. Inside this scope it
// uses one thread, so that results depend neither on that count nor on an environment variable.
// With another BLAS the symbols are absent and the scope does nothing.
extern "C" {
__attribute__((weak)) void openblas_set_num_threads(int);
__attribute__((weak)) int openblas_get_num_threads(void);
}

namespace stkr::detail {

// Scopes may overlap on several threads: OpenBLAS has one thread count per process, so the first
// scope to open sets it and the last to close restores it.
class SerialBlas {
 public:
  SerialBlas() {
    if (!openblas_get_num_threads || !openblas_set_num_threads) return;
    const std::lock_guard lock(state().mutex);
    if (state().scopes++ == 0) {
      state().before = openblas_get_num_threads();
      openblas_set_num_threads(1);
    }
  }
  ~SerialBlas() {
    if (!openblas_get_num_threads || !openblas_set_num_threads) return;
    const std::lock_guard lock(state().mutex);
    if (--state().scopes == 0) openblas_set_num_threads(state().before);
  }
  SerialBlas(const SerialBlas&) = delete;
  SerialBlas& operator=(const SerialBlas&) = delete;

 private:
  struct State {
    std::mutex mutex;
    int scopes = 0;
    int before = 1;
  };
  static State& state() {
    static State shared;
    return shared;
  }
};

}  // namespace stkr::detail
