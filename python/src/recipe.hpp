#pragma once

#include "stkr/estimator/recipe.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr::python {

// What Python hands over as one object: what to fit, and the threads, seed and memory to use.
struct RecipeInContext : Recipe {
  Context context{};

  // The context of one call, which can be interrupted.
  Context with(std::stop_token cancel) const {
    Context result = context;
    result.cancel = std::move(cancel);
    return result;
  }
};

}  // namespace stkr::python
