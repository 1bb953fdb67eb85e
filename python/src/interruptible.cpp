#include "interruptible.hpp"

#include <chrono>
#include <future>

namespace stkr::python {

namespace py = pybind11;

void run_interruptible(const std::function<void(std::stop_token)>& work, ProgressWatch* watch) {
  using namespace std::chrono_literals;
  std::stop_source source;
  std::optional<py::error_already_set> interrupt;
  std::exception_ptr failure;
  {
    const py::gil_scoped_release unlocked;
    // Deferred: if no thread can be started, the work runs here and Ctrl-C waits for it.
    std::future<void> done =
        std::async(std::launch::async | std::launch::deferred, work, source.get_token());
    while (done.wait_for(interrupt ? 1h : 50ms) == std::future_status::timeout) {
      if (interrupt) continue;
      const py::gil_scoped_acquire lock;
      if (PyErr_CheckSignals() != 0) {
        interrupt.emplace();
        source.request_stop();
        continue;
      }
      if (!watch) continue;
      try {
        watch->show();
      } catch (py::error_already_set& error) {
        interrupt.emplace(std::move(error));
        source.request_stop();
      }
    }
    try {
      done.get();
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (watch && !interrupt) watch->finish();
  if (interrupt) throw std::move(*interrupt);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace stkr::python
