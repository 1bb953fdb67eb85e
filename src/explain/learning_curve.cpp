#include "explain/closed_fit.hpp"
#include "stkr/error.hpp"
#include "stkr/explain/explain.hpp"

namespace stkr {
LearningCurve learning_curve(const std::vector<Index>& amounts,
                             const std::vector<LabelErrors>& errors, Index draws) {
  if (amounts.size() != errors.size() || amounts.size() < 2) {
    throw ShapeError("learning curve: expected an amount per point, and two points or more");
  }
  LearningCurve result;
  for (std::size_t k = 0; k < amounts.size(); ++k) {
    if (errors[k].size() != errors.back().size()) {
      throw ShapeError("learning curve: points have different numbers of labels");
    }
    const MeanError error = mean_error(errors[k]);
    result.points.push_back(
        {amounts[k], error.mean, error.standard_error, k + 1 < amounts.size() ? draws : Index{1}});
  }
  const MeanError gain = mean_error(errors[errors.size() - 2] - errors.back());
  result.gain = gain.mean;
  result.gain_error = gain.standard_error;
  return result;
}

}  // namespace stkr
