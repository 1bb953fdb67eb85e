#pragma once

#include <memory>
#include <vector>

#include "estimator/linear_solution.hpp"
#include "estimator/spectral_action.hpp"
#include "stkr/inference/fitted_system.hpp"

namespace stkr {

// One ridge of a term.
struct TermRidge {
  double weight = 1.0;  // share of this fit in the average: they add up to 1 over all terms
  double beta = 0.0;    // β_n
  LinearSolution solution;
};

// One transform of a fitted system with everything that its labels determine: an N × n block.
class TermSystem {
 public:
  // `total`: the sum of the weights of all terms. The system must outlive this.
  TermSystem(const FittedSystem& system, const AverageTerm& term, double total,
             const Context& context);

  const SpectralAction& action() const { return *action_; }
  const Matrix& labeled() const { return labeled_; }  // G_{K̂_s,n}
  const Matrix& known() const { return known_; }      // K̂_s(x_j, x_i): N × n
  const Matrix& fresh() const;  // K(x, ·) times this is K̂_s(x, x_i) for a new x: N × n
  const std::vector<TermRidge>& ridges() const { return ridges_; }
  // v of the Poisson transform; empty: 1 each.
  const Vector& label_weights() const { return label_weights_; }

  // The solution with another ridge: the shift is `labels`·β.
  LinearSolution solve(double beta, Index labels) const;

  // K̂_s between all samples and some: N × M.
  Matrix columns(std::span<const Index> samples) const;

 private:
  const FittedSystem& system_;
  std::unique_ptr<SpectralAction> action_;
  Matrix known_;
  Matrix fresh_;  // empty: the gram has no self term, and theta_ is the same
  Matrix theta_;  // g(S) E
  Matrix labeled_;
  Vector label_weights_;
  bool centered_ = false;
  std::vector<TermRidge> ridges_;
};

// The terms of a system one after the other: blocks of N × n numbers are there for one at a time.
template <class Visit>
void for_terms(const FittedSystem& system, const Context& context, Visit&& visit) {
  double total = 0.0;
  for (const AverageTerm& term : system.terms) {
    for (const AverageTerm::Part& part : term.parts) total += part.weight;
  }
  for (const AverageTerm& term : system.terms) {
    context.check_cancelled();
    visit(TermSystem(system, term, total, context));
  }
}

}  // namespace stkr
