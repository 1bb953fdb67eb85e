#include "stkr/solver/summary.hpp"

#include <algorithm>

namespace stkr {

const char* to_string(StopReason reason) {
  switch (reason) {
    case StopReason::converged:
      return "converged";
    case StopReason::max_iterations:
      return "max_iterations";
    case StopReason::breakdown:
      return "breakdown";
    case StopReason::diverged:
      return "diverged";
    case StopReason::stagnated:
      return "stagnated";
    case StopReason::cancelled:
      return "cancelled";
  }
  return "unknown";
}

double SolveSummary::worst_residual() const {
  return residuals.empty() ? 0.0 : *std::max_element(residuals.begin(), residuals.end());
}

}  // namespace stkr
