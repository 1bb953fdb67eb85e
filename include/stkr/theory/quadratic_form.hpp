#pragma once

#include <functional>
#include <vector>

#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"

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

}  // namespace stkr
