#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reproduction/theory_distribution.hpp"
#include "reproduction/theory_table.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

struct TheoryOptions {
  int repetitions = 40;
  double delta = 0.1;         // δ of all bounds
  Index most_samples = 2048;  // the largest m (Theorem 3) and n (Theorem 2)
  std::function<void(const std::string& what, double share)> watch{};
};

// The paper's theorems by experiment, on distributions whose spectrum is known, with the library's
// own fits: every error is computed without sampling. Results depend on context.seed only, not on
// the number of threads.
std::vector<TheoryTable> theory_tables(const TheoryOptions& options, const Context& context);

// Theorem 3 (thm:approx): ‖f̂ - f̃‖²_P over m, its bound, and the cross-fit estimate of it.
TheoryTable approximation_table(const TheoryOptions& options, const Context& context);
// lem:approx-2: the largest |K̂_s - K_s| over m.
TheoryTable kernel_gap_table(const TheoryOptions& options, const Context& context);
// cor:lem-approx-2-square: the largest gap of inner products of the kernels over m.
TheoryTable inner_product_table(const TheoryOptions& options, const Context& context);
// Theorem 2 (thm:est): ‖f̃ - f*‖²_P over n with β_n = c n^(-1/(1+p)).
TheoryTable estimation_table(const TheoryOptions& options, const Context& context);
// Proposition 3 (prop:agnostic-lap): the same with the inverse Laplacian, for a target of another
// s*.
TheoryTable agnostic_table(const TheoryOptions& options, const Context& context);
// Proposition 4 (prop:top-d-lower): the worst case of encoders of d functions.
TheoryTable encoder_table(const TheoryOptions& options, const Context& context);
// The proposition of app:proof-inv-lap-connect: norms and fits.
TheoryTable transductive_table(const TheoryOptions& options, const Context& context);
// lem:hat-lambda-bound: λ̂₁ over n + m.
TheoryTable eigenvalue_table(const TheoryOptions& options, const Context& context);
// Theorem 6 (thm:topd-approx): ‖g‖²_P and ‖f* - f̃_d‖²_K over m.
TheoryTable kernel_pca_table(const TheoryOptions& options, const Context& context);

// Theorem 5 (thm:topd-est): ‖f̂_d - f̃_d‖²_P over n.
TheoryTable probe_table(const TheoryOptions& options, const Context& context);

// ŵ of eqn:topd-krr-def: ridge regression of y on features, one row per label.
Vector linear_probe(const Matrix& features, const Vector& y, double beta);

// max over f of ass:target (‖f‖_P ≤ 1) of min_w ‖wᵀΨ̂ - f‖²_P, for Ψ̂ with these coordinates (J × d),
// by the Lagrange dual, which is exact for quadratic forms with two constraints (Polyak 1998).
double worst_case_error(const Matrix& encoder, const Vector& s_values, double epsilon);

}  // namespace stkr
