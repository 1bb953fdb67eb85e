#pragma once

#include <limits>

namespace stkr {

// An interval that contains every eigenvalue of an operator. Infinite ends mean "not known".
struct SpectrumBounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

}  // namespace stkr
