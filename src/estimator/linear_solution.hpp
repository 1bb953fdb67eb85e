#pragma once

#include "stkr/matrix.hpp"

namespace stkr {

struct LinearSolutionOptions {
  bool constant = false;   // f = h + b with a free b per output, as in eqn:ridge
  bool centered = false;   // without a constant: Y minus its mean replaces Y
  Vector label_weights{};  // v, of the squared errors; empty: 1 each
};

// The solution of (G + shift·diag(1/v)) α = Y - b as a linear function of Y: f(x) = k_s(x)ᵀ α + b.
struct LinearSolution {
  Matrix inverse;   // A⁻¹, A = G + shift·diag(1/v): n × n
  Matrix response;  // P: α = P Y
  Vector offset;    // u: b = uᵀ Y; zero without a constant
};

LinearSolution linear_solution(ConstMatrixRef g, double shift,
                               const LinearSolutionOptions& options = {});

// f_{-i}(x_i) for every labeled i, with its constant, where f_{-i} is fitted to the other labels
// with ridge (n - 1)β: y_i - [PY]_i/P_ii. The same values as RidgePath::leave_one_out, at the cost
// of one factorization for one β.
Matrix leave_one_out(ConstMatrixRef g, double beta, ConstMatrixRef y,
                     const LinearSolutionOptions& options = {});

}  // namespace stkr
