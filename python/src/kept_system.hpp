#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "stkr/inference/fitted_system.hpp"
#include "stkr/inference/inference.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr::python {

// What variances of many new samples need, computed by the first question about them.
struct PreparedVariances {
  std::mutex mutex;
  std::optional<PreparedPosterior> posterior;
};

// The system of a fit, for questions about its predictions, and the threads, seed and device of
// that fit.
struct KeptSystem {
  std::shared_ptr<const FittedSystem> system;
  Context context;
  std::shared_ptr<PreparedVariances> prepared = std::make_shared<PreparedVariances>();

  // The context of one question, which can be interrupted.
  Context with(std::stop_token cancel) const {
    Context result = context;
    result.cancel = std::move(cancel);
    return result;
  }
};

}  // namespace stkr::python
