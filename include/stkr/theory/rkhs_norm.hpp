#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "stkr/estimator/fit.hpp"
#include "stkr/gram/gram_operator.hpp"
#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

struct QuadraticFormOptions {
  Index exact_below = 1000;  // up to so many samples, by all eigenvectors
  int max_steps = 300;       // of Lanczos; memory: one vector each
  double tolerance = 1e-10;  // on the change of fᵀ φ(S) f from step to step, relative
  // Eigenvalues below it, relative to the largest, count as 0, and so does a share of ‖f‖² below
  // `share`.
  double zero = 1e-12;
  double share = 1e-14;
};

// fᵀ φ(S) f = Σ_k w_k φ(λ_k), the integral of φ over the spectral measure of f.
struct QuadraticForm {
  double value = 0.0;  // infinite if f has weight where φ is infinite
  double error = 0.0;  // estimate: the last change of the value; 0 if it is exact
  Vector nodes{};      // λ_k, ascending
  Vector weights{};    // w_k ≥ 0, of sum ‖f‖²
  // The share of ‖f‖² where φ is infinite; reported as infinite if it is above options.share.
  double singular_share = 0.0;
  bool singular = false;
  bool exact = false;  // by all eigenvectors
  bool converged = true;
};

// By the Lanczos method with full reorthogonalization, whose Ritz values are the nodes of a Gauss
// quadrature (Golub and Welsch): polynomials φ of degree 2k - 1 are exact after k steps. φ may be
// infinite at 0 and below; eigenvalues that are 0 up to rounding are passed to it as 0. Throws
// ShapeError unless f has one value per sample, ValueError if one is not finite.
QuadraticForm quadratic_form(const LinearOperator& s, const Vector& f,
                             const std::function<double(double)>& phi,
                             const QuadraticFormOptions& options = {}, const Context& context = {});

// The same for several φ at the cost of one.
std::vector<QuadraticForm> quadratic_forms(const LinearOperator& s, const Vector& f,
                                           const std::vector<std::function<double(double)>>& phis,
                                           const QuadraticFormOptions& options = {},
                                           const Context& context = {});

// Norms in the Hilbert spaces of Section 2.1, of functions given by their values at the N samples.
// They are those of the empirical measure: with S u_i = λ_i u_i, f = Σ_i a_i ψ_i has the
// coordinates a_i = <u_i, f>/√N, and
//   ‖f‖²_P = Σ a_i²,  ‖f‖²_{K_s} = Σ a_i²/s(λ_i),
// which is infinite if f has a component where s(λ_i) ≤ 0: f is not in the space. Among functions
// with these values at the samples, that is the smallest norm. Sample weights p replace 1/N.

struct RkhsNorm {
  double squared = 0.0;  // ‖f‖², may be infinite
  double error = 0.0;    // an estimate of its error; 0 if it is exact
  double outside = 0.0;  // the share of ‖f‖²_P outside of the space
  bool converged = true;

  double norm() const;
  // The Lipschitz constant of f's means with respect to the kernel metric between measures equals
  // the norm (Proposition 1, prop:extend-lip).
  double lipschitz() const { return norm(); }
};

// ‖f‖² in H_{K_s}. Throws ParameterError for the Poisson transform, and as quadratic_form does.
RkhsNorm rkhs_norm(const GramOperator& gram, const SpectralTransform& transform, const Vector& f,
                   const QuadraticFormOptions& options = {}, const Context& context = {});

// ‖f‖² in H_{K^p} for real p > 0 (eqn:def-hkp; 0 < p < 1 in the relaxation of Theorem 1, H_{K^p} ⊃
// H_K).
RkhsNorm rkhs_norm(const GramOperator& gram, double p, const Vector& f,
                   const QuadraticFormOptions& options = {}, const Context& context = {});

// <f, g> in H_{K_s}, from the norms of f + g and f - g. Throws ValueError if one of them is not in
// the space.
double rkhs_inner_product(const GramOperator& gram, const SpectralTransform& transform,
                          const Vector& f, const Vector& g,
                          const QuadraticFormOptions& options = {}, const Context& context = {});

// The same in H_{K^p}, p > 0.
double rkhs_inner_product(const GramOperator& gram, double p, const Vector& f, const Vector& g,
                          const QuadraticFormOptions& options = {}, const Context& context = {});

// ‖f̂‖²_{K_s} = αᵀ G_{K̂_s,n} α = Σ_i α_i f̂(x_i) of every output of a fit with `alpha`, without its
// constant. Throws ValueError for a method without α.
Vector fitted_norms(const Fit& fit, std::span<const Index> labeled);

// How smooth f is at one scale: r_{K^p}(f) = ‖f - E f‖²_P/‖f - E f‖²_{K^p}. Scale-invariant; at
// most λ₁^p if K is centered; 0 if f - E f is not in H_{K^p}, and NaN if f is constant.
struct Smoothness {
  double p = 1.0;
  double ratio = std::numeric_limits<double>::quiet_NaN();  // r_{K^p}(f)
  double variance = 0.0;                                    // ‖f - E f‖²_P
  RkhsNorm norm{};                                          // of f - E f in H_{K^p}
};

// At several scales, at the cost of one. Throws ParameterError for p ≤ 0.
std::vector<Smoothness> multiscale_smoothness(const GramOperator& gram, const Vector& f,
                                              std::span<const double> scales,
                                              const QuadraticFormOptions& options = {},
                                              const Context& context = {});

// The Poincaré constants C²: the suprema of r_{K^p}(f) over the f orthogonal to the first j - 1
// eigenfunctions, λ_j^p for j = 1, ..., count; K is assumed to be centered, as in the paper.
Vector poincare_constants(const GramOperator& gram, double p, Index count,
                          const Context& context = {});

}  // namespace stkr
