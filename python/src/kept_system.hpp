#pragma once

#include <memory>

#include "stkr/inference/fitted_system.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr::python {

// The system of a fit, for questions about its predictions, and the threads, seed and device of
// that fit.
struct KeptSystem {
  std::shared_ptr<const FittedSystem> system;
  Context context;

  // The context of one question, which can be interrupted.
  Context with(std::stop_token cancel) const {
    Context result = context;
    result.cancel = std::move(cancel);
    return result;
  }
};

}  // namespace stkr::python
