#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

namespace stkr {

namespace detail {
// False where `cancel` came before the work was done.
bool run_abandonable(const std::stop_token& cancel, std::function<void()> work);
[[noreturn]] void throw_abandoned();
}  // namespace detail

// work(), which cannot be stopped (a call of LAPACK), so that its caller can: on a thread of its
// own, where a request to stop is possible at all. When one comes first, Cancelled is thrown at
// once and the work goes on unseen to its end. It must therefore own all that it touches; the
// process does not end before it.
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
