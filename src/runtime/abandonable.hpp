#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

namespace stkr {

namespace detail {
// Returns false if cancellation was requested before the work finished.
bool run_abandonable(const std::stop_token& cancel, std::function<void()> work);
[[noreturn]] void throw_abandoned();
}  // namespace detail

// Runs `work` (an uninterruptible LAPACK call) on its own thread, so that the caller can return
// early when canceled; without a stop source, on the calling thread. If cancellation is requested
// first, throws Cancelled at once and the work continues in the background. `work` must therefore
// own everything that it accesses; the process waits for it before it exits.
template <class Work>
auto abandonable(const std::stop_token& cancel, Work work) {
  if (!cancel.stop_possible()) return work();
  auto result = std::make_shared<std::optional<decltype(work())>>();
  const bool done = detail::run_abandonable(
      cancel, [result, work = std::move(work)]() mutable { result->emplace(work()); });
  if (!done) detail::throw_abandoned();
  return std::move(**result);
}

}  // namespace stkr
