#pragma once

#include <vector>

#include "estimator/refit.hpp"
#include "stkr/estimator/decision.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/model/fit_model.hpp"

namespace stkr {

// Fits the method of a specification with a given gram. If s, η, β or d are open, chooses them and
// adds them to `choices`. STKR uses and replaces `state`, if there is one.
Fit fit_method(const GramOperator& gram, const EncodedTargets& targets, const Specification& spec,
               const Execution& execution, std::vector<Choice>& choices,
               const Context& context = {}, RefitState* state = nullptr);

}  // namespace stkr
