#pragma once

#include <string>

#include "stkr/dataset/dataset.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/specification/specification.hpp"

namespace stkr {

// The basis of default length scales: the median distance of a point to its 10th neighbor (or to
// its last, if there are fewer points); for regression, to its 10th labeled neighbor, the range
// over which values determine a function. Throws ValueError if most points coincide.
double neighbor_distance(const Points& points, const Labels& labels, const Context& context = {});

// A length scale and where it comes from.
struct ChosenScale {
  double value = 1.0;
  std::string why{};
};

// The length scale of a kernel as the specification asks for it: a number, a multiple of the
// default, or the median distance. Uses Execution::neighbor_distance if it is known.
ChosenScale length_scale_for(const Kernel& kernel, const LengthScale& scale, const Points& points,
                             const Labels& labels, const Execution& execution,
                             const Context& context);

}  // namespace stkr
