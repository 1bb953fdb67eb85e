#include "model/fit_diagnostics.hpp"

#include <fmt/format.h>

#include "estimator/gram_spectrum.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// Samples up to which the leading eigenvalues take seconds.
constexpr Index kMostOfSparse = 50'000;
constexpr Index kMostOfDense = 5'000;

}  // namespace

const char* const kNotLeftOut =
    "there is a closed form for up to 2,000 labels without weights, of methods with a ridge";

Predictions left_out_predictions(const EncodedTargets& targets, const Fit& fit) {
  if (const auto* numbers = std::get_if<TargetDecision>(&targets.decision)) {
    // f_{-i} has its own constant; the mean of the targets is to be added.
    Vector mean = numbers->mean;
    if (fit.constant.size() > 0) mean -= fit.constant;
    Predictions result;
    result.scores = fit.left_out;
    result.scores.rowwise() += mean.transpose();
    result.evidence.assign(static_cast<std::size_t>(fit.left_out.rows()), 1);
    return result;
  }
  std::vector<char> evidence;
  for (Index i = 0; i < fit.left_out.rows(); ++i) {
    evidence.push_back(!fit.left_out.row(i).isZero(0.0));
  }
  return decide(targets.decision, fit.left_out, std::move(evidence));
}

void calibrate_decision(const EncodedTargets& targets, const Fit& fit, Decision& decision) {
  if (fit.left_out.rows() == 0) return;
  const Predictions left_out = left_out_predictions(targets, fit);
  if (auto* classes = std::get_if<ClassDecision>(&decision)) {
    classes->calibration = calibrate(left_out.scores, classes->classes, classes->prior);
  } else {
    std::get<TargetDecision>(decision).left_out_residuals = targets.y - fit.left_out;
  }
}

FitDiagnostics fit_diagnostics(const GramOperator& gram, const EncodedTargets& targets,
                               const Fit& fit, bool eigenvalues, const Context& context) {
  FitDiagnostics result;
  if (fit.left_out.rows() > 0) {
    result.left_out = left_out_predictions(targets, fit);
  } else {
    result.not_left_out = kNotLeftOut;
  }
  if (!eigenvalues) return result;
  const Index most = gram.sparse() ? kMostOfSparse : kMostOfDense;
  if (gram.size() > most) {
    result.no_eigenvalues =
        fmt::format("eigenvalues of {} samples take long with this kernel", gram.size());
    return result;
  }
  try {
    result.eigenvalues = reported_eigenvalues(gram, context);
  } catch (const ValueError& error) {
    result.no_eigenvalues = error.what();
  }
  return result;
}

}  // namespace stkr
