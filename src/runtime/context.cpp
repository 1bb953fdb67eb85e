#include "stkr/runtime/context.hpp"

#include "stkr/error.hpp"

namespace stkr {

void throw_if_cancelled(const std::stop_token& cancel) {
  if (cancel.stop_requested()) throw Cancelled("stopped by the caller");
}

Context Context::inner() const {
  return {.threads = threads, .seed = seed, .cancel = cancel, .memory = memory};
}

void Context::check_cancelled() const { throw_if_cancelled(cancel); }

}  // namespace stkr
