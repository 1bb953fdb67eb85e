#include "stkr/runtime/context.hpp"

#include <algorithm>
#include <cmath>

#include "stkr/error.hpp"

namespace stkr {

void throw_if_cancelled(const std::stop_token& cancel) {
  if (cancel.stop_requested()) throw Cancelled("stopped by the caller");
}

double Progress::fraction() const {
  if (tolerance > 0.0 && tolerance < 1.0) {
    const double residual = std::clamp(worst_residual, 1e-300, 1.0);
    return std::clamp(std::log(residual) / std::log(tolerance), 0.0, 1.0);
  }
  if (total <= 0) return 0.0;
  return std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0);
}

Context Context::inner() const {
  Context result = *this;
  result.saved = nullptr;
  return result;
}

void Context::check_cancelled() const { throw_if_cancelled(cancel); }

}  // namespace stkr
