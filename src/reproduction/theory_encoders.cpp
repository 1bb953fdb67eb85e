#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "reproduction/theory.hpp"
#include "stkr/theory/bounds.hpp"

namespace stkr {
namespace {

constexpr Index kFunctions = 40;  // J: 1/s of more would be lost in rounding

struct Encoders {
  std::string name;
  Vector s_values;
  Index d;
  double epsilon;
};

Matrix random_encoder(Index functions, Index d, Random& random) {
  Matrix encoder(functions, d);
  for (double& value : encoder.reshaped()) value = random.normal();
  return encoder;
}

// The top-d functions, with ψ_d turned by an angle toward ψ_{d+1}.
Matrix turned_encoder(Index functions, Index d, double angle) {
  Matrix encoder = Matrix::Identity(functions, d);
  encoder(d - 1, d - 1) = std::cos(angle);
  encoder(d, d - 1) = std::sin(angle);
  return encoder;
}

}  // namespace

double worst_case_error(const Matrix& encoder, const Vector& s_values, double epsilon) {
  // max uᵀPu with P = I - QQᵀ, uᵀu ≤ 1, uᵀ(1/s - ε)u ≤ 0. Dual: min over μ ≥ 0 of the largest
  // eigenvalue of P - μ(diag(1/s) - ε), a convex function of μ; it is at least μ(ε - 1/s(λ₁)).
  const Index functions = s_values.size();
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr{Eigen::MatrixXd(encoder)};
  const Eigen::MatrixXd q =
      qr.householderQ() * Eigen::MatrixXd::Identity(functions, encoder.cols());
  const Eigen::MatrixXd outside =
      Eigen::MatrixXd::Identity(functions, functions) - q * q.transpose();
  const Vector excess = s_values.cwiseInverse().array() - epsilon;
  const auto dual = [&](double mu) {
    Eigen::MatrixXd form = outside;
    form.diagonal() -= mu * excess;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(form, Eigen::EigenvaluesOnly);
    return solver.eigenvalues()[functions - 1];
  };
  double low = 0.0, high = 1.0 / (epsilon - 1.0 / s_values[0]);
  const double ratio = 1.0 / std::numbers::phi;
  double a = high - ratio * (high - low), b = low + ratio * (high - low);
  double at_a = dual(a), at_b = dual(b);
  for (int step = 0; step < 60; ++step) {  // golden section
    if (at_a < at_b) {
      high = b;
      b = a;
      at_b = at_a;
      a = high - ratio * (high - low);
      at_a = dual(a);
    } else {
      low = a;
      a = b;
      at_a = at_b;
      b = low + ratio * (high - low);
      at_b = dual(b);
    }
  }
  return std::min(at_a, at_b);
}

TheoryTable encoder_table(const TheoryOptions& options, const Context& context) {
  TheoryTable table{
      .name = "encoders",
      .title = "Proposition 4 (prop:top-d-lower): the worst case of d functions, B = 1",
      .measured_name = "max_f min_w ‖wᵀΨ̂ - f‖²_P",
      .bound_name = "lower bound"};
  const std::vector<Encoders> cases{
      {"circle, d = 4", circle_distribution(0.6).eigenvalues.head(kFunctions), 4, 2.5},
      {"hypercube, d = 6", hypercube_distribution(6, 0.4).eigenvalues.head(kFunctions), 6, 3.75}};
  std::uint64_t experiment = 31;
  for (const Encoders& now : cases) {
    const double bound =
        top_d_lower_bound(
            {.s_first = now.s_values[0], .s_next = now.s_values[now.d], .epsilon = now.epsilon})
            .value;
    const auto add = [&](const std::string& name, double measured, bool equal) {
      table.rows.push_back({.series = now.name + ", " + name,
                            .measured = measured,
                            .bound = bound,
                            .holds = equal ? std::abs(measured - bound) <= 1e-6 * bound
                                           : measured > bound * (1.0 + 1e-6)});
    };
    add("top-d (equality)",
        worst_case_error(Matrix::Identity(kFunctions, now.d), now.s_values, now.epsilon), true);
    for (const double degrees : {5.0, 30.0, 90.0}) {
      const Matrix turned = turned_encoder(kFunctions, now.d, degrees * std::numbers::pi / 180.0);
      add(fmt::format("ψ_d turned by {:g}°", degrees),
          worst_case_error(turned, now.s_values, now.epsilon), false);
    }
    std::vector<double> errors(static_cast<std::size_t>(options.repetitions));
    repeat(options.repetitions, context.threads, [&](std::size_t r) {
      Random random = repetition(context.seed, experiment, r);
      errors[r] =
          worst_case_error(random_encoder(kFunctions, now.d, random), now.s_values, now.epsilon);
    });
    add(fmt::format("least of {} random", errors.size()),
        *std::min_element(errors.begin(), errors.end()), false);
    ++experiment;
  }
  table.notes = {
      "s(λ) = λ; the worst case over all f of ass:target is a convex problem, solved "
      "exactly"};
  return table;
}

}  // namespace stkr
