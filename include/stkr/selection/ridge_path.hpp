#pragma once

#include <vector>

#include "stkr/linop/matrix.hpp"
#include "stkr/solver/symmetric_eigen.hpp"

namespace stkr {

// (G + nβI) α = Y for every β from one eigendecomposition of the n × n block G = U Λ Uᵀ of a
// transformed kernel, and what α predicts. G may be indefinite; a direction in which Λ + nβ
// vanishes to rounding is left out of α.
class RidgePath {
 public:
  // `scored` holds the kernel between scored (rows) and labelled samples.
  // With a coupling c the system is ((1 - nβc) G + nβI) θ = Y, that of LaplacianSeries.
  RidgePath(ConstMatrixRef labeled, ConstMatrixRef scored, ConstMatrixRef y, double coupling = 0.0);

  Matrix alpha(double beta) const;    // n × C
  Matrix predict(double beta) const;  // f at the scored samples

  // f_{-i}(x_i) for every labelled i, where f_{-i} is fitted to the n - 1 others (with its ridge
  // (n - 1)β): y_i - [B⁻¹Y]_i/[B⁻¹]_ii with B = G + (n - 1)βI.
  // What is below the rounding of y is 0: unlike a fit without i, this cannot resolve it.
  Matrix leave_one_out(double beta) const;

  // α after T steps of Richardson's iteration from 0 with step size γ (the paper's Algorithm 1,
  // alg:richardson, stopped early), applied to the scored samples.
  Matrix predict_richardson(double beta, int steps, double step_size) const;
  double largest_eigenvalue() const { return used_.empty() ? 0.0 : eigen_.values[0]; }

 private:
  Vector inverse(double shift) const;  // 1/((1 - shift·c) Λ + shift)

  // Labelled samples that no other kernel entry touches (nodes without neighbours) say nothing of
  // others, yet their α = y/(nβ) would magnify the rounding of U: they stay out of it.
  std::vector<Index> used_;
  SymmetricEigen eigen_;   // of G at `used_`
  double coupling_;        // c
  Matrix y_;               // all n rows
  Matrix rotated_y_;       // Uᵀ Y
  Matrix rotated_scored_;  // F U
};

}  // namespace stkr
