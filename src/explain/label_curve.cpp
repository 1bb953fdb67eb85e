#include "explain/label_curve.hpp"

#include <fmt/format.h>

#include <numeric>

#include "explain/closed_fit.hpp"

namespace stkr {
namespace {

constexpr Index kFewestOfCurve = 8;  // labels: a quarter of fewer is not two

// The mean error of every label over fits to one of `parts` parts, scored on the other parts.
Vector errors_with_one_part(const Matrix& g, const EncodedTargets& targets, double ridge,
                            double variance, Index parts, Index divisions, Random& random) {
  const Index n = g.rows();
  const bool classes = std::holds_alternative<ClassDecision>(targets.decision);
  Vector sum = Vector::Zero(n), count = Vector::Zero(n);
  std::vector<Index> order(static_cast<std::size_t>(n));
  for (Index division = 0; division < divisions; ++division) {
    std::iota(order.begin(), order.end(), Index{0});
    random.shuffle(order);
    for (Index part = 0; part < parts; ++part) {
      std::vector<Index> kept, others;
      for (Index k = 0; k < n; ++k) {
        (k % parts == part ? kept : others).push_back(order[static_cast<std::size_t>(k)]);
      }
      EncodedTargets some{{}, targets.y(kept, Eigen::all), targets.constant, targets.decision};
      const ClosedFit fit(g(kept, kept), some, ridge);
      const Matrix f = Matrix(g(others, kept)) * fit.alpha();
      for (std::size_t k = 0; k < others.size(); ++k) {
        const Eigen::RowVectorXd row = f.row(static_cast<Index>(k)) + fit.constant().transpose();
        sum[others[k]] += label_error(row, targets.y.row(others[k]), classes, variance);
        count[others[k]] += 1.0;
      }
    }
  }
  return sum.cwiseQuotient(count);
}

}  // namespace

LearningCurve label_curve(const Matrix& g, const EncodedTargets& targets, double ridge,
                          const Vector& left_out, double variance, const std::vector<Index>& scored,
                          Index divisions, Random& random) {
  const Index n = g.rows();
  LearningCurve result;
  if (n < kFewestOfCurve) {
    result.unknown = fmt::format("{} labels; a curve needs at least {}", n, kFewestOfCurve);
    return result;
  }
  const auto errors = [&](Index parts) {
    return Vector(
        errors_with_one_part(g, targets, ridge, variance, parts, divisions, random)(scored));
  };
  const Vector quarter = errors(4), half = errors(2);
  return learning_curve({n / 4, n / 2, n}, {quarter, half, left_out(scored)}, divisions);
}

}  // namespace stkr
