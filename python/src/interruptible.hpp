#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <optional>
#include <stop_token>
#include <type_traits>

namespace stkr::python {

// Runs `work` on another thread without the interpreter's lock, while this one waits for it and for
// signals, which Python handles on its main thread only. On Ctrl-C the work is asked to stop,
// waited for, and KeyboardInterrupt is raised. Python code that the work calls takes the lock by
// itself.
void run_interruptible(const std::function<void(std::stop_token)>& work);

template <class Work>
auto interruptible(Work&& work) {
  using Result = std::invoke_result_t<Work, std::stop_token>;
  if constexpr (std::is_void_v<Result>) {
    run_interruptible(work);
  } else {
    std::optional<Result> result;
    run_interruptible([&](std::stop_token cancel) { result.emplace(work(std::move(cancel))); });
    return std::move(*result);
  }
}

}  // namespace stkr::python
