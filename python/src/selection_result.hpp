#pragma once

#include <optional>

#include "specification.hpp"
#include "stkr/selection/select_model.hpp"

namespace stkr::python {

// The scores of a grid, and the specification of any of its points.
struct SelectionResult {
  ModelSelection all;
  std::optional<double> expected;  // estimated score of the chosen point on new samples
  NamedSpecification named;        // of the call

  const Selection& selection() const { return all.selections.front().second; }

  NamedSpecification specification(std::size_t place) const {
    const Specification spec = all.specification(selection(), place);
    NamedSpecification result = named;
    result.chosen_kernel = spec.kernel;
    result.chosen_added = spec.added;
    result.method = options_of(spec.method);
    result.decision = spec.decision;
    return result;
  }
};

}  // namespace stkr::python
