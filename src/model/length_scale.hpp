#pragma once

#include <functional>
#include <string>
#include <vector>

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

// What the length scales of points are relative to.
struct PointDistances {
  Index points = 0;
  Index labeled = 0;       // if labels are numbers
  bool numbers = false;    // whether they are
  double l1_factor = 1.0;  // ‖·‖₁ of a difference is about this many times its ‖·‖₂
  std::function<double()> median{};    // between points
  std::function<double()> neighbor{};  // neighbor_distance
};
ChosenScale length_scale_for(const Kernel& kernel, const LengthScale& scale,
                             const PointDistances& distances);
// l1_factor of points with so many entries that differ from 0 in two of them.
double l1_factor(double entries);
// Which neighbor counts among so many candidates.
Index default_neighbor(Index candidates);
// The labeled samples, if they are numbers and enough of them to be the only candidates.
std::vector<Index> neighbor_candidates(std::vector<Index> labeled, bool numbers);

// The length scale of a kernel as the specification asks for it: a number, a multiple of the
// default, or the median distance. Uses Execution::neighbor_distance if it is known.
ChosenScale length_scale_for(const Kernel& kernel, const LengthScale& scale, const Points& points,
                             const Labels& labels, const Execution& execution,
                             const Context& context);

}  // namespace stkr
