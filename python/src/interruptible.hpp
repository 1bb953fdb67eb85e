#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <optional>
#include <stop_token>
#include <type_traits>

#include "progress.hpp"

namespace stkr::python {

// Releases the GIL and runs `work` on another thread. The calling thread waits for it and checks
// for signals, which Python handles only on its main thread. On Ctrl-C it requests cancellation,
// waits for the work, and raises KeyboardInterrupt. Work that calls Python code must acquire the
// GIL. `watch`, if given, shows progress meanwhile; an error of its function also requests
// cancellation and is raised.
void run_interruptible(const std::function<void(std::stop_token)>& work,
                       ProgressWatch* watch = nullptr);

template <class Work>
auto interruptible(Work&& work, ProgressWatch* watch = nullptr) {
  using Result = std::invoke_result_t<Work, std::stop_token>;
  if constexpr (std::is_void_v<Result>) {
    run_interruptible(work, watch);
  } else {
    std::optional<Result> result;
    run_interruptible([&](std::stop_token cancel) { result.emplace(work(std::move(cancel))); },
                      watch);
    return std::move(*result);
  }
}

}  // namespace stkr::python
