#pragma once

#include <vector>

#include "solver/symmetric_eigen.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

struct RidgePathOptions {
  // c ≠ 0: the system is ((1 - nβc) G + nβI) θ = Y, as in LaplacianSeries, and α = (I - cG) θ.
  double coupling = 0.0;
  bool constant = false;   // f = h + b with a free b per output
  bool centered = false;   // without a constant: Y minus its mean replaces Y
  Vector label_weights{};  // of the squared errors, > 0; empty: 1 each
};

// Solves (G + nβI) α = Y for every β from one eigendecomposition of the n × n block G = U Λ Uᵀ of a
// transformed kernel, and predicts with α. G may be indefinite; a direction in which Λ + nβ
// vanishes up to rounding is left out of α. With a constant, Y - b replaces Y, where b =
// 1ᵀA⁻¹Y/1ᵀA⁻¹1 and A = G + nβI; f below is h, without b. If 1ᵀA⁻¹1 is not positive, which is
// possible for an indefinite G, eqn:ridge has no minimum over b, and the mean of Y is used instead.
class RidgePath {
 public:
  // `scored` holds the kernel between scored (rows) and labeled samples.
  RidgePath(ConstMatrixRef labeled, ConstMatrixRef scored, ConstMatrixRef y,
            RidgePathOptions options = {});

  // The unit of a relative ridge (estimator/ridge_unit); if G is coupled, that of G_{K̂_s,n} = G(I -
  // cG)⁻¹.
  double unit() const { return unit_; }

  Matrix alpha(double beta) const;     // n × C
  Matrix predict(double beta) const;   // f at the scored samples
  Matrix fitted(double beta) const;    // f at the labeled samples: G α
  Vector constant(double beta) const;  // b; zero without one

  // f_{-i}(x_i) for every labeled i, where f_{-i} is fitted to the other n - 1 samples (with ridge
  // (n - 1)β): y_i - [B⁻¹Y]_i/[B⁻¹]_ii with B = G + (n - 1)βI; with a constant, Y - b_{-i} replaces
  // Y. Values below the rounding error of y are set to 0: this formula, unlike a fit without i,
  // cannot resolve them.
  struct LeftOut {
    Matrix f;         // h_{-i}(x_i)
    Matrix constant;  // b_{-i}
  };
  LeftOut leave_one_out(double beta) const;

  // α after T steps of Richardson's iteration from 0 with step size γ (the paper's Algorithm 1,
  // alg:richardson, stopped early), applied to the scored samples, without a constant.
  Matrix predict_richardson(double beta, int steps, double step_size) const;
  double largest_eigenvalue() const { return used_.empty() ? 0.0 : eigen_.values[0]; }

 private:
  Vector inverse(double shift) const;  // 1/((1 - shift·c) Λ + shift)
  // b for a system with this shift, 1ᵀA⁻¹Y and 1ᵀA⁻¹1.
  struct Constant {
    Vector b;
    Vector sums;
    double total = 0.0;
  };
  static bool has_minimum(double total, double scale);
  Eigen::RowVectorXd mean_without(Index i) const;  // of Y; -1: of all rows
  // For centered labels, b is their mean.
  Constant constant_at(double shift) const;
  Matrix rotated_rest(const Vector& b) const;  // Uᵀ(Y - b)
  // For other targets than Y: rows times root_.
  Matrix leave_one_out_plain(double shift, const Matrix& targets) const;
  LeftOut leave_one_out_with_constant(double shift) const;

  // Excludes labeled samples without any other kernel entry (nodes without neighbors): they do not
  // affect others, but their α = y/(nβ) would magnify the rounding errors of U.
  std::vector<Index> used_;
  SymmetricEigen eigen_;  // of G at `used_`, scaled by the roots of the weights
  RidgePathOptions options_;
  double unit_;
  Vector root_;             // √weight of each label
  Matrix y_;                // all n rows, times root_
  Eigen::RowVectorXd sum_;  // of the rows of Y
  Matrix rotated_y_;        // Uᵀ Y
  Vector rotated_one_;      // Uᵀ 1, times root_
  Matrix rotated_scored_;   // F U
};

// The relative ridge with the smallest leave-one-out squared error among powers of ten from 1 down
// to 1e-8. Ties are broken by the larger ridge.
double ridge_by_leave_one_out(const RidgePath& path, ConstMatrixRef y);

}  // namespace stkr
