#pragma once

#include <functional>
#include <string>

#include "runtime/random.hpp"
#include "stkr/kernel/kernel.hpp"
#include "stkr/matrix.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// A distribution P with a kernel whose eigenvalues and eigenfunctions are known: K(x, x') =
// Σ_j λ_j ψ_j(x) ψ_j(x') with <ψ_i, ψ_j>_P = δ_ij. A function f = Σ_j u_j ψ_j is its coordinates u,
// so that ‖f‖²_P = ‖u‖², ‖f‖²_K = Σ u_j²/λ_j, and K_s is K with s(λ_j), all without sampling. The
// constant function is not among them: E f = 0 as in ass:target.
struct TheoryDistribution {
  std::string name;
  Vector eigenvalues;  // λ_1 ≥ ... ≥ λ_J; further ones are below rounding, or there are none
  double kappa_squared;                                   // K(x, x), the same for all x
  Kernel kernel;                                          // of the points, in closed form
  std::function<Matrix(Random&, Index count)> draw;       // points, independent draws from P
  std::function<Matrix(const Matrix& points)> functions;  // ψ_j at the points: N × J
};

// The circle, points (cos θ, sin θ): K = 2 Σ_k r^k cos k(θ-θ') = 2(rt - r²)/(1 - 2rt + r²) with
// t = cos(θ-θ'). λ = r^k twice, for √2 cos kθ and √2 sin kθ.
TheoryDistribution circle_distribution(double r);

// The torus, two circles: K = P(θ₁-θ₁') P(θ₂-θ₂') - 1 with P = (1 - r²)/(1 - 2rt + r²), the Poisson
// kernel; λ = r^(|k₁|+|k₂|).
TheoryDistribution torus_distribution(double r);

// The hypercube {-1, 1}^d: K = Π(1 + ρ x_i x_i') - 1, λ = ρ^|S| for the character Π_{i in S} x_i of
// each set S that is not empty.
TheoryDistribution hypercube_distribution(int dimension, double rho);

// The circle with λ = k^(-1/p) twice, k = 1, ..., frequencies: p of thm:est. Its kernel is the sum.
TheoryDistribution decaying_distribution(double p, Index frequencies);

// s(λ_j) for all j.
Vector transformed(const TheoryDistribution& distribution, const SpectralTransform& transform);

// f̃ of eqn:ftilde with K_s of these eigenvalues, as coordinates; psi: ψ at the labeled points.
Vector oracle_coordinates(const Matrix& psi, const Vector& s_values, const Vector& y, double beta);

// A random seed for one repetition of one experiment.
Random repetition(std::uint64_t seed, std::uint64_t experiment, std::uint64_t number);

}  // namespace stkr
