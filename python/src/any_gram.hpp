#pragma once

#include <variant>

#include "kept_system.hpp"
#include "stkr/model/fit_model.hpp"

namespace stkr::python {

// What questions about a kernel accept: a gram, or the system that a fit kept.
using AnyGram = std::variant<const PreparedGram*, const KeptSystem*>;

inline const GramOperator& gram_of(const AnyGram& any) {
  if (const auto* prepared = std::get_if<const PreparedGram*>(&any)) return *(*prepared)->gram;
  return *std::get<const KeptSystem*>(any)->system->gram;
}

// λ^p with real p > 0, or a transform.
using PowerOrTransform = std::variant<double, SpectralTransform>;

}  // namespace stkr::python
