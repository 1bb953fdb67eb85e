#pragma once

// OpenBLAS splits its work, and so its rounding, by its own number of threads. Inside this scope it
// uses one, so that results depend neither on that number nor on an environment variable. With
// another BLAS the symbols are absent and the scope does nothing.
extern "C" {
__attribute__((weak)) void openblas_set_num_threads(int);
__attribute__((weak)) int openblas_get_num_threads(void);
}

namespace stkr::detail {

class SerialBlas {
 public:
  SerialBlas() {
    if (openblas_get_num_threads && openblas_set_num_threads) {
      before_ = openblas_get_num_threads();
      openblas_set_num_threads(1);
    }
  }
  ~SerialBlas() {
    if (before_ > 0) openblas_set_num_threads(before_);
  }
  SerialBlas(const SerialBlas&) = delete;
  SerialBlas& operator=(const SerialBlas&) = delete;

 private:
  int before_ = 0;
};

}  // namespace stkr::detail
