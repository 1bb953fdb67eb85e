#include "theory/fractional_power.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "solver/symmetric_eigen.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr double kZero = 1e-12;  // of the largest eigenvalue
constexpr double kNear = 1e-4;   // |λ - δ|/δ, below which quotients lose digits

// The k-th derivative of λ^p at δ > 0, divided by k!: binomial(p, k) δ^(p-k).
double taylor(double p, int k, double delta) {
  double factor = 1.0;
  for (int j = 0; j < k; ++j) factor *= (p - j) / (j + 1.0);
  return factor * std::pow(delta, p - k);
}

// q(λ) with s(λ) = s(δ) + (λ - δ) q(λ)
double first_quotient(double lambda, double p, double delta) {
  if (delta == 0.0) return lambda > 0.0 ? std::pow(lambda, p - 1.0) : 0.0;
  const double d = lambda - delta;
  if (std::abs(d) < kNear * delta) {
    return taylor(p, 1, delta) + d * (taylor(p, 2, delta) + d * taylor(p, 3, delta));
  }
  return (std::pow(lambda, p) - std::pow(delta, p)) / d;
}

// h(λ) with q(λ) = q(δ) + (λ - δ) h(λ); without a self term, s(λ) = λ² h(λ)
double second_quotient_of(double lambda, double p, double delta) {
  if (delta == 0.0) return lambda > 0.0 ? std::pow(lambda, p - 2.0) : 0.0;
  const double d = lambda - delta;
  if (std::abs(d) < kNear * delta) {
    return taylor(p, 2, delta) + d * (taylor(p, 3, delta) + d * taylor(p, 4, delta));
  }
  return (first_quotient(lambda, p, delta) - taylor(p, 1, delta)) / d;
}

}  // namespace

FractionalPower::FractionalPower(const GramOperator& gram, double p, Index most,
                                 const Context& context)
    : p_(p), delta_(gram.self_term()) {
  if (gram.size() > most) {
    throw ValueError(fmt::format(
        "power p = {:g} of the kernel of {} samples: p < 1 needs all eigenvectors, which is "
        "limited to {} samples; use p >= 1, or raise the limit (dense_below)",
        p, gram.size(), most));
  }
  std::vector<Index> all(static_cast<std::size_t>(gram.size()));
  std::iota(all.begin(), all.end(), Index{0});
  SymmetricEigen eigen =
      symmetric_eigen(gram.block(all, all) / static_cast<double>(gram.size()), context.cancel);
  const double largest = eigen.values[0], smallest = eigen.values[eigen.values.size() - 1];
  if (smallest < -1e-9 * std::abs(largest)) {
    throw ValueError(
        fmt::format("power p = {:g} of the kernel: it has the eigenvalue {:.3g}, and p < 1 needs a "
                    "positive semidefinite kernel, such as the lazy walk; use an even p",
                    p, smallest));
  }
  eigenvalues_ = eigen.values.unaryExpr([=](double l) { return l > kZero * largest ? l : 0.0; });
  vectors_ = std::move(eigen.vectors);
}

Matrix FractionalPower::applied(const Vector& values, const Matrix& b) const {
  return vectors_ * (values.asDiagonal() * (vectors_.transpose() * b));
}

KnownColumns FractionalPower::known(const Matrix& b) const {
  const Vector s = eigenvalues_.array().pow(p_);
  const Vector q =
      eigenvalues_.unaryExpr([this](double l) { return first_quotient(l, p_, delta_); });
  return {.values = applied(s, b), .fresh = applied(q, b)};
}

SecondQuotient FractionalPower::fresh(const Matrix& b) const {
  const Vector h =
      eigenvalues_.unaryExpr([this](double l) { return second_quotient_of(l, p_, delta_); });
  SecondQuotient result{.image = applied(h, b)};
  if (delta_ > 0.0) {
    result.value = std::pow(delta_, p_);
    result.slope = taylor(p_, 1, delta_);
  }
  return result;
}

}  // namespace stkr
