#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stkr/error.hpp"
#include "stkr/theory/rkhs_norm.hpp"
#include "theory/lanczos_measure.hpp"

namespace stkr {
namespace {

using Functions = std::vector<std::function<double(double)>>;

void check_function_values(const LinearOperator& s, const Vector& f) {
  if (f.size() != s.size()) {
    throw ShapeError(fmt::format("the function has {} values for {} samples; expected one each",
                                 f.size(), s.size()));
  }
  for (Index i = 0; i < f.size(); ++i) {
    if (std::isfinite(f[i])) continue;
    throw ValueError(fmt::format(
        "the value of the function at sample {} is {}; expected a finite number", i, f[i]));
  }
}

QuadraticForm integral(const SpectralMeasure& measure, const std::function<double(double)>& phi,
                       const QuadraticFormOptions& options) {
  QuadraticForm result{.nodes = measure.nodes, .weights = measure.weights};
  result.exact = measure.exact;
  const double zero = options.zero * measure.nodes.cwiseAbs().maxCoeff();
  const double mass = measure.weights.sum();
  double singular = 0.0;
  for (Index k = 0; k < measure.nodes.size(); ++k) {
    const double node = std::abs(measure.nodes[k]) <= zero ? 0.0 : measure.nodes[k];
    const double value = phi(node);
    if (std::isfinite(value)) {
      result.value += measure.weights[k] * value;
    } else {
      singular += measure.weights[k];
    }
  }
  if (mass > 0.0) result.singular_share = singular / mass;
  result.singular = result.singular_share > options.share;
  if (result.singular) result.value = std::numeric_limits<double>::infinity();
  return result;
}

}  // namespace

std::vector<QuadraticForm> quadratic_forms(const LinearOperator& s, const Vector& f,
                                           const Functions& phis,
                                           const QuadraticFormOptions& options,
                                           const Context& context) {
  check_function_values(s, f);
  std::vector<QuadraticForm> result(phis.size());
  const auto integrate = [&](const SpectralMeasure& measure) {
    bool settled = true;
    for (std::size_t k = 0; k < phis.size(); ++k) {
      QuadraticForm now = integral(measure, phis[k], options);
      const double before = result[k].nodes.size() > 0 ? result[k].value : 0.0;
      const bool infinite = std::isinf(now.value);
      now.error = now.exact || (infinite && std::isinf(before)) ? 0.0
                  : infinite                                    ? now.value
                                                                : std::abs(now.value - before);
      now.converged = now.error <= options.tolerance * std::abs(now.value) && !infinite;
      now.converged = now.converged || now.exact || now.error == 0.0;
      settled = settled && now.converged && result[k].nodes.size() > 0;
      result[k] = std::move(now);
    }
    return settled;
  };
  if (s.size() <= options.exact_below) {
    integrate(exact_measure(s, f, context));
  } else {
    lanczos_measure(s, f, options.max_steps, integrate, context);
  }
  return result;
}

QuadraticForm quadratic_form(const LinearOperator& s, const Vector& f,
                             const std::function<double(double)>& phi,
                             const QuadraticFormOptions& options, const Context& context) {
  return quadratic_forms(s, f, {phi}, options, context).front();
}

}  // namespace stkr
