#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stkr/linop/linear_operator.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// s(λ) = λ^p
struct PowerTransform {
  double exponent;  // p ≥ 1
};

// s(λ) = Σ_{p=1}^q π_p λ^p
struct PolynomialTransform {
  std::vector<double> coefficients;  // π_1, ..., π_q
};

// s(λ) = λ/(1 - ηλ), the paper's exp:inv-lap
struct InverseLaplacianTransform {
  double eta;  // η in (0, 1/λ₁)
};

// 1/s(λ) = Σ_{p=0}^{q-1} ξ_p λ^{p-r}, so s(λ) = λ^r / ρ(λ) with ρ(λ) = Σ ξ_p λ^p
struct ReciprocalTransform {
  std::vector<double> coefficients;  // ξ_0, ..., ξ_{q-1}, ξ_0 > 0
  int r;                             // ≥ 1

  double rho(double lambda) const;
};

// s(λ) = e^{tλ} - 1
struct DiffusionTransform {
  double time;  // t > 0
};

// s(λ) = λ/(1 - ηλ/λ₁) without the leading eigenvectors: s = 0 there. Classes are centered and
// labels weighted by the inverse of the leading eigenvector, so that η = 1 with a large ridge is
// Poisson learning (Calder, Cook, Thorpe and Slepčev 2020). Needs a kernel whose leading
// eigenvectors are known, such as walks and normalized kernels.
struct PoissonTransform {
  double eta;  // η in (0, 1], in units of 1/λ₁
};

// s(λ_i) = λ_i for the d largest eigenvalues, 0 for the rest
struct TruncationTransform {
  Index dimension;  // d ≥ 1
};

// s(λ) = λ^p/(λ^p + c^p): near 0 below λ = c, near 1 above, 1/2 at c.
struct SmoothStepTransform {
  double position;  // c > 0
  int sharpness;    // p, even: s ≥ 0 on all of the real line, without a pole
};

// A user-defined s with s(0) = 0.
struct CallableTransform {
  std::string name;
  std::function<double(double)> s;
};

struct TransformTerm;

// s(λ) = Σ_k a_k s_k(λ). With a_k > 0 the conditions of Theorem 1 hold for the sum if they hold for
// the terms, with M ≤ Σ a_k M_k.
struct SumTransform {
  // None of them a sum or a truncation. Shared, because a term contains a transform, which is not
  // complete here.
  std::shared_ptr<const std::vector<TransformTerm>> terms;
};

// One condition of the paper's Theorem 1 (claim:main), checked on a spectrum.
struct ConditionCheck {
  std::string condition;  // "s(0) = 0", "s >= 0", "s non-decreasing", "s(lambda) <= M lambda", ...
  bool holds;
  std::string finding;  // where it fails and by how much
};

struct TransformValidity {
  std::vector<ConditionCheck> conditions;
  double slope = 0.0;  // M: the largest s(λ)/λ found

  bool valid() const;
  std::string failures() const;  // empty if valid, else one clause per failing condition
};

// s of the transformed kernel K_s = Σ s(λ_i) ψ_i ψ_iᵀ. A value type, cheap to copy, compared by
// form.
class SpectralTransform {
 public:
  using Form = std::variant<PowerTransform, PolynomialTransform, InverseLaplacianTransform,
                            ReciprocalTransform, DiffusionTransform, TruncationTransform,
                            PoissonTransform, SmoothStepTransform, CallableTransform, SumTransform>;

  // In the source, because copies of a variant take long to compile wherever one is made.
  SpectralTransform(const SpectralTransform&);
  SpectralTransform(SpectralTransform&&) noexcept;
  SpectralTransform& operator=(const SpectralTransform&);
  SpectralTransform& operator=(SpectralTransform&&) noexcept;
  ~SpectralTransform();

  // Each throws ValueError if the parameter is outside its domain for every spectrum.
  static SpectralTransform power(double exponent);
  static SpectralTransform polynomial(std::vector<double> coefficients);
  static SpectralTransform inverse_laplacian(double eta);
  static SpectralTransform reciprocal(std::vector<double> coefficients, int r);
  static SpectralTransform diffusion(double time);
  static SpectralTransform truncation(Index dimension);
  static SpectralTransform poisson(double eta = 1.0);
  static SpectralTransform smooth_step(double position, int sharpness = 4);
  // Terms that are sums are expanded; one term with a_1 = 1 is returned as it is. Throws ValueError
  // for a truncation, which is not a function of λ.
  static SpectralTransform sum(std::vector<TransformTerm> terms);
  static SpectralTransform callable(std::string name, std::function<double(double)> s);

  const Form& form() const { return form_; }
  std::string name() const;      // "power", "inverse-laplacian", ...
  std::string describe() const;  // "power p=8"; of a sum its text (transform_text.hpp)

  // s(λ). For a truncation, returns λ: which eigenvalues are kept is not a function of λ. For the
  // Poisson transform, λ is in units of λ₁, and s(1) = 0 whatever η.
  double operator()(double lambda) const;

  // π_1, ..., π_q if s is a polynomial; so is a sum of polynomials.
  std::optional<std::vector<double>> polynomial_coefficients() const;

  // ξ and r if 1/s has that form (the inverse Laplacian: ξ = (1, -η), r = 1). Of sums, only those
  // of one term have it.
  std::optional<ReciprocalTransform> reciprocal_form() const;

  // Checks Theorem 1 on [0, upper], and that s is continuous and s ≥ 0 on the whole spectrum, since
  // graph kernels have eigenvalues below 0. A user-defined s is sampled at a few thousand λ:
  // passing is not a proof, but every reported failure is real.
  TransformValidity validate(const SpectrumBounds& spectrum) const;

 private:
  explicit SpectralTransform(Form form);
  Form form_;
};

// a_k s_k of a sum.
struct TransformTerm {
  double weight;  // a_k > 0
  SpectralTransform transform;
};

// The terms of a sum; any other transform is one term of weight 1.
std::vector<TransformTerm> terms_of(const SpectralTransform& transform);

struct TransformPair {
  double lambda;  // > 0
  double value;   // s(λ) ≥ 0
};

// s through given pairs and (0, 0), as in the proof of Theorem 1 (app:proof-claim-main), by a
// monotone cubic (Fritsch and Carlson 1980): s is non-decreasing and continuously differentiable,
// s(λ) ≤ Mλ, and continues linearly beyond the pairs and below 0. The proof adds steps that are
// smooth to all orders instead, and flat at every pair. Its second derivative jumps at the pairs,
// so that polynomials approximate s slowly: beyond a few thousand samples, see the error that a fit
// reports. It is user-defined (CallableTransform), and its name is its text, through(0.1:0.01,
// 1:1).
//
// Throws ParameterError unless all numbers are finite, λ > 0, s ≥ 0 is non-decreasing in λ with
// equal values for equal λ, and one is positive. In any order.
SpectralTransform transform_through(std::vector<TransformPair> pairs);

}  // namespace stkr
