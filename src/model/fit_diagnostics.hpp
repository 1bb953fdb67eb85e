#pragma once

#include "stkr/model/fit_model.hpp"

namespace stkr {

// Fit::left_out as predictions: a class, or a number. A label that no other label reaches has f =
// 0.
Predictions left_out_predictions(const EncodedTargets& targets, const Fit& fit);

// Why a fit has none.
extern const char* const kNotLeftOut;

// Learns from the labels left out, if there are any, how certain predictions are: `decision` gets a
// calibration, or the residuals.
void calibrate_decision(const EncodedTargets& targets, const Fit& fit, Decision& decision);

// `targets` and `fit` as fitted, with the fit's constant in the decision.
FitDiagnostics fit_diagnostics(const GramOperator& gram, const EncodedTargets& targets,
                               const Fit& fit, bool eigenvalues, const Context& context);

}  // namespace stkr
