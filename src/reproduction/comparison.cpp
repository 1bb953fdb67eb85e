#include "reproduction/comparison.hpp"

#include <cmath>

#include "reproduction/student_t.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// B. L. Welch, "The generalization of 'Student's' problem when several different population
// variances are involved", Biometrika 34 (1947). Each variance is that of a mean.
double half_width(double variance, double degrees, double other_variance, double other_degrees) {
  const double sum = variance + other_variance;
  if (sum <= 0.0) return 0.0;
  const double freedom =
      sum * sum / (variance * variance / degrees + other_variance * other_variance / other_degrees);
  return student_t_quantile(0.95, freedom) * std::sqrt(sum);
}

}  // namespace

Comparison compare(std::span<const double> accuracies, std::optional<PaperValue> paper) {
  if (accuracies.empty()) throw ValueError("compare: no accuracies given");
  const auto count = static_cast<double>(accuracies.size());
  Comparison result;
  result.seeds = static_cast<int>(accuracies.size());
  for (const double value : accuracies) result.mean += value / count;
  if (result.seeds > 1) {
    double squares = 0.0;
    for (const double value : accuracies) squares += std::pow(value - result.mean, 2);
    result.std = std::sqrt(squares / (count - 1.0));
  }
  result.paper = paper;
  if (!paper) return result;
  result.difference = result.mean - paper->mean;
  // Two seeds may agree by chance: their deviation says too little.
  if (result.seeds > 2) {
    const double half = half_width(std::pow(*result.std, 2) / count, count - 1.0,
                                   std::pow(paper->std, 2) / kPaperSeeds, kPaperSeeds - 1.0);
    result.interval = {*result.difference - half, *result.difference + half};
  }
  return result;
}

}  // namespace stkr
