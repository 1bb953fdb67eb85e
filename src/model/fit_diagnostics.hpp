#pragma once

#include "stkr/model/fit_model.hpp"

namespace stkr {

// `targets` and `fit` as fitted, with the fit's constant in the decision.
FitDiagnostics fit_diagnostics(const GramOperator& gram, const EncodedTargets& targets,
                               const Fit& fit, const Context& context);

}  // namespace stkr
