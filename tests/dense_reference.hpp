#pragma once

#include <functional>
#include <vector>

#include "stkr/matrix.hpp"

// The paper's estimators by explicit matrices and obvious formulas, for tests. Nothing here calls
// the library; only its matrix types are shared.
namespace stkr::reference {

using Samples = std::vector<Index>;

Matrix rows_of(const Matrix& x, const Samples& samples);

Matrix columns_of(const Matrix& x, const Samples& samples);

// E x: an N-row block that is x at `samples` and zero elsewhere.
Matrix spread(const Matrix& x, const Samples& samples, Index size);

Samples complement(const Samples& samples, Index size);

// Largest eigenvalue first.
struct Spectrum {
  explicit Spectrum(const Matrix& symmetric);

  Vector values;
  Eigen::MatrixXd vectors;
};

// s and g with s(λ) = λ·g(λ), where g(0) = s'(0) is given analytically. A truncation keeps the
// `top` largest eigenvalues by algebraic value and has no s.
struct Transform {
  std::function<double(double)> s{};
  std::function<double(double)> g{};
  Index top = 0;
  // Poisson learning: labels are centered and weighted by 1/(√N u₁), u₁ the leading eigenvector.
  bool poisson = false;
};

struct Solution {
  Matrix alpha;         // α̂ = A⁻¹ Y
  Matrix coefficients;  // for new samples: c = q(S) E α̂
  Matrix fitted;        // f̂ = N s(S) E α̂
};

struct PcaSolution {
  Vector eigenvalues;   // λ̃
  Matrix vectors;       // v, up to sign
  Matrix coefficients;  // c
  Matrix fitted;
};

class Dense {
 public:
  // S contains the diagonal part `self_term`·I, which a new sample's kernel row lacks.
  explicit Dense(Matrix kernel, double self_term = 0.0);

  Index size() const { return kernel_.rows(); }
  const Matrix& kernel() const { return kernel_; }           // G_K
  const Vector& values() const { return spectrum_.values; }  // of S = G_K/N
  double largest() const { return spectrum_.values[0]; }
  double self_term() const { return self_term_; }
  double smallest() const { return spectrum_.values[size() - 1]; }

  // K̂_s = N·U s(Λ) Uᵀ
  Matrix transformed(const Transform& t) const;

  // g(S) = U g(Λ) Uᵀ
  Matrix action(const Transform& t) const;

  // q(S) with s(λ) = s(δ) + (λ - δ) q(λ)
  Matrix fresh_action(const Transform& t) const;

  // v: 1 each unless t.poisson
  Vector label_weights(const Transform& t, const Samples& labeled) const;

  // A = G_{K̂_s,n} + nβ diag(1/v)
  Matrix system(const Transform& t, const Samples& labeled, double beta) const;

  Solution fit(const Transform& t, const Samples& labeled, const Matrix& y, double beta) const;

  // eqn:topd-psi-def and eqn:topd-krr-def
  PcaSolution kernel_pca(Index d, const Samples& labeled, const Matrix& y, double beta) const;

  // (I - ηS) Ŷ = Ỹ
  Matrix label_propagation(double eta, const Samples& labeled, const Matrix& y) const;

  // The d in [lowest, highest] with λ_d > 0 and the widest gap λ_d - λ_{d+1}, for which truncation
  // is well defined.
  Index widest_gap(Index lowest, Index highest) const;

 private:
  Matrix mapped(const std::function<double(Index)>& value) const;

  Matrix kernel_;
  Spectrum spectrum_;
  double self_term_;
};

// ‖a - b‖/‖b‖, or ‖a‖ if b = 0.
double relative_error(const Matrix& a, const Matrix& b);

}  // namespace stkr::reference
