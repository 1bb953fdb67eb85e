#pragma once

#include <mutex>

// OpenBLAS splits its work, and so its rounding, by its own number of threads. Inside this scope it
// uses one, so that results depend neither on that number nor on an environment variable. With
// another BLAS the symbols are absent and the scope does nothing.
extern "C" {
__attribute__((weak)) void openblas_set_num_threads(int);
__attribute__((weak)) int openblas_get_num_threads(void);
}

namespace stkr::detail {

// Scopes may overlap on several threads: the number is BLAS's one for the whole process, so the
// first to come sets it and the last to go puts it back.
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
