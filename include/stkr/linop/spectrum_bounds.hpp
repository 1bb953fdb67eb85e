#pragma once

#include <limits>

namespace stkr {

// An interval that contains every eigenvalue of an operator. An infinite end is unknown.
struct SpectrumBounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

}  // namespace stkr
