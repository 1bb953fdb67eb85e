#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stkr/matrix.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// The paper's learning guarantees as numbers: pure functions of what their statements contain.
// Symbols as in the paper: n labeled and m unlabeled samples, κ² ≥ K(x, x) (kappa_squared), λ₁ the
// largest eigenvalue of T_K, λ̂₁ that of G_K/(n+m), β_n the ridge, s(λ) ≤ Mλ (slope), and of the
// target ‖f*‖_P ≤ B (scale_b) with ‖f*‖²_{K_s} ≤ ε‖f*‖²_P.

// One condition of a statement; `holds` is empty if it cannot be checked.
struct Assumption {
  std::string name;
  std::optional<bool> holds;
  std::string reason;
};

struct BoundInput {
  std::string name;
  double value;
};

// A bound with everything that it depends on.
struct Bound {
  std::string name;               // "Theorem 3"
  std::string label;              // of the paper: "thm:approx"
  std::string quantity;           // what is bounded: "‖f̂ - f̃‖²_P"
  bool lower = false;             // a lower bound
  double value = 0.0;             // infinite if the expression has no finite value
  bool constant_unknown = false;  // the value has c_0 = 1, which the paper does not give
  std::vector<BoundInput> inputs{};
  std::vector<Assumption> assumptions{};
  double probability = 1.0;  // at least; ≤ 0 says nothing
  // What is known without the theorem: an upper bound that predicting 0 attains, a lower bound 0.
  double trivial = 0.0;
  std::string trivial_name{};  // "the mean square of y"

  // Whether the bound says no more than the trivial one, or holds with probability 0.
  bool vacuous() const;
  // The worst of the assumptions: false if one fails, empty if one cannot be checked.
  std::optional<bool> applies() const;
  // One plain sentence: what the bound says, or why it says nothing.
  std::string verdict() const;
};

// What the caller knows about the assumptions. Empty: the bound says that it cannot be checked.
struct TheoryFacts {
  std::optional<bool> independent{};   // samples are independent draws from P
  std::optional<bool> kernel_bound{};  // ass:bt with the given κ²
  std::optional<bool> target{};        // ass:target with the given ε and B
  std::optional<bool> moments{};       // ass:moment with the given σ and L
  std::optional<bool> decay{};         // s(λ_i) = O(i^(-1/p))
  std::optional<bool> embedding{};     // EMB of thm:steinwart with the given α and c₂
};

// thm:est, Theorem 2: ‖f̃ - f*‖²_P with the kernel K_s itself.
struct EstimationInputs {
  Index n = 0;
  double p = 1.0;  // s(λ_i) = O(i^(-1/p)), p in (0, 1]
  double tau = 3.0;
  double kappa_squared = 1.0;
  double slope = 1.0;  // M
  double epsilon = 1.0;
  double scale_b = 1.0;   // B
  double sigma = 1.0;     // of ass:moment
  double moment_l = 1.0;  // L of ass:moment
  TheoryFacts facts{};
};
Bound estimation_bound(const EstimationInputs& inputs);

// thm:approx, Theorem 3: ‖f̂ - f̃‖²_P, the price of K̂_s in place of K_s.
struct ApproximationInputs {
  SpectralTransform transform = SpectralTransform::power(2.0);
  Index n = 0;
  Index m = 0;
  double kappa_squared = 1.0;
  double lambda = 1.0;  // λ_max = max(λ₁, λ̂₁)
  double beta = 1.0;
  double delta = 0.1;
  double mean_square_y = 1.0;  // ‖y‖²/n
  TheoryFacts facts{};
};
Bound approximation_bound(const ApproximationInputs& inputs);

// prop:agnostic-lap, Proposition 3: thm:est for the inverse Laplacian if the target is smooth for
// another transform s*: ε becomes Mε, with M of s* in `slope`. `own_slope` is M of the inverse
// Laplacian itself, 1/(1 - ηλ₁).
Bound agnostic_laplacian_bound(EstimationInputs inputs, double own_slope);

// lem:hat-lambda-bound: λ̂₁ is at most this.
Bound largest_eigenvalue_bound(double lambda_1, Index samples, double kappa_squared, double delta,
                               const TheoryFacts& facts = {});

// lem:approx-2: |K̂_s(x, x_j) - K_s(x, x_j)| for all x and all samples x_j at once. β and y are not
// used.
Bound kernel_gap_bound(const ApproximationInputs& inputs);

// cor:lem-approx-2-square: |K_{s²} - <K̂_s, K_s>_P| + |<K̂_s, K̂_s>_P - <K̂_s, K_s>_P| for all pairs
// of samples. β and y are not used.
Bound inner_product_gap_bound(const ApproximationInputs& inputs);

// prop:top-d-lower, Proposition 4: no d functions approximate every target of ass:target better.
struct TopDLowerInputs {
  double s_first = 1.0;  // s(λ₁)
  double s_next = 0.5;   // s(λ_{d+1})
  double epsilon = 1.0;
  double scale_b = 1.0;  // B
};
Bound top_d_lower_bound(const TopDLowerInputs& inputs);

// thm:topd-est, Theorem 5: ‖f̂_d - f̃_d‖²_P of the linear probe on kernel PCA.
struct TopDEstimationInputs {
  EstimationInputs estimation{};
  double delta = 0.1;
  double lambda_d = 1.0;    // λ̃_d of kernel PCA
  double gap_p = 0.0;       // ‖f* - f̃_d‖²_P
  double gap_kernel = 0.0;  // ‖f* - f̃_d‖²_K
};
Bound top_d_estimation_bound(const TopDEstimationInputs& inputs);

// The smallest n that thm:topd-est admits: 16 κ⁴ λ̃_d⁻² (2 + √(2 log 2/δ))².
double top_d_needed_labels(double kappa_squared, double lambda_d, double delta);

// thm:topd-approx, Theorem 6. Its lower inequality λ_{d+1} ≤ ‖g‖²_P is about the worst g that is
// orthogonal to ψ̂: a single f* may have a smaller one.
struct TopDApproximationInputs {
  Index d = 1;
  Index m = 0;
  double kappa_squared = 1.0;
  double lambda_1 = 1.0;
  double lambda_next = 0.5;           // λ_{d+1}
  std::optional<double> g_squared{};  // ‖g‖²_P if known, else its upper bound
  double slope = 1.0;                 // M
  double epsilon = 1.0;
  double scale_b = 1.0;  // B
  double delta = 0.1;
  TheoryFacts facts{};
};
struct TopDApproximation {
  Bound g_lower;  // on the largest ‖g‖²_P
  Bound g_upper;  // on every ‖g‖²_P
  Bound kernel;   // on b² = ‖f* - f̃_d‖²_K
};
TopDApproximation top_d_approximation_bounds(const TopDApproximationInputs& inputs);

// thm:steinwart, Theorem 3.1 of Fischer and Steinwart (2020), from which thm:est and thm:topd-est
// are derived: ‖f̃ - f*‖² in H_{K^γ} of kernel ridge regression with K and the ridge β_n. The paper
// prints the norm without its square; both sides of the original are squares. `value` has A = 1.
struct FischerSteinwartInputs {
  Index n = 0;
  double beta_n = 1.0;          // the ridge
  double p = 1.0;               // EVD: λ_i ≤ c₁ i^(-1/p), p in (0, 1]
  double alpha = 1.0;           // EMB: H_{K^α} in L^∞ with norm at most c₂, α in (0, 1]
  double embedding_c2 = 1.0;    // c₂
  double beta = 1.0;            // SRC: ‖f*‖_{K^β} ≤ c₃, β in (0, 2]
  double source_c3 = 1.0;       // c₃
  double gamma = 0.0;           // γ in [0, 1], γ < β; 0: ‖·‖_P
  double largest_target = 1.0;  // B_∞ ≥ |f*(x)|
  double kappa_squared = 1.0;
  double sigma = 1.0;     // MOM: of ass:moment
  double moment_l = 1.0;  // L
  double tau = 3.0;
  TheoryFacts facts{};
};
Bound fischer_steinwart_bound(const FischerSteinwartInputs& inputs);

// β_n = c n^(-1/(1+p)), as in thm:est.
double theory_beta(Index n, double p, double c = 1.0);

// With β_n = Θ(n^(-1/(1+p))), thm:approx vanishes if m grows faster than this, n^(4/(1+p)).
double needed_unlabeled(Index n, double p);

// Whether s(λ) = Σ_{p≥1} π_p λ^p with all π_p ≥ 0, converging at `lambda` (ass:analytic). Decided
// by the form of s; empty if that does not decide it, as for a user-defined s.
struct PowerSeriesCheck {
  std::optional<bool> holds;
  std::string reason;
};
PowerSeriesCheck has_power_series(const SpectralTransform& transform, double lambda);

// d/dλ (s(λ)/λ), the factor of thm:approx: in closed form for powers, polynomials, the inverse
// Laplacian, diffusion and sums of these, else by differences of s, to about nine digits. Infinite
// at and beyond a pole. Throws ValueError for λ ≤ 0 and for transforms that are not a function of λ
// (truncation, Poisson).
double quotient_derivative(const SpectralTransform& transform, double lambda);

}  // namespace stkr
