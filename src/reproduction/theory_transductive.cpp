#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "gram/dense_gram.hpp"
#include "gram/weighted_gram.hpp"
#include "reproduction/theory.hpp"
#include "stkr/estimator/stkr.hpp"

namespace stkr {
namespace {

constexpr Index kNodes = 60;
constexpr Index kLabels = 12;
constexpr double kRidge = 0.02;  // β_n

// A connected graph with W positive semidefinite: weights AAᵀ of nonnegative features.
Eigen::MatrixXd random_weights(Random& random) {
  Eigen::MatrixXd features(kNodes, kNodes);
  for (double& value : features.reshaped()) {
    const double draw = random.uniform();
    value = draw < 0.2 ? draw : 0.0;
  }
  features.diagonal().array() += 0.1;
  return features * features.transpose();
}

struct Differences {
  double norm = 0.0;  // of ŷᵀLŷ and ‖f‖²_K - η‖f‖²_P, relative
  double fit = 0.0;   // of the transductive and the inductive fit, largest, relative
};

Differences transductive_differences(double eta, Random random) {
  const Eigen::MatrixXd w = random_weights(random);
  const Vector degrees = w.rowwise().sum();
  const double total = degrees.sum();
  const Vector inverse_roots = degrees.cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd normalized =
      inverse_roots.asDiagonal() * w * inverse_roots.asDiagonal();  // D^-½ W D^-½
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(normalized);
  const Eigen::MatrixXd root = solver.operatorSqrt();
  const Eigen::MatrixXd laplacian = Eigen::MatrixXd::Identity(kNodes, kNodes) - eta * normalized;
  const Eigen::MatrixXd kernel =
      total * (degrees.cwiseInverse().asDiagonal() * w * degrees.cwiseInverse().asDiagonal());
  const Vector probability = degrees / total;

  // f = √Tr(D) D^-½ (D^-½ W D^-½)^½ ŷ, ŷ = (D^-½ W D^-½)^½ u. ‖f‖²_K = fᵀ G_K⁻¹ f.
  const Eigen::MatrixXd to_f = std::sqrt(total) * inverse_roots.asDiagonal() * root;
  Vector u(kNodes);
  for (double& value : u) value = random.normal();
  const Vector y_hat = root * u, f = to_f * y_hat;
  const double left = y_hat.dot(laplacian * y_hat);
  const double right = f.dot(kernel.llt().solve(f)) - eta * probability.dot(f.cwiseAbs2());
  Differences result;
  result.norm = std::abs(left - right) / std::abs(left);

  // Transductive: ŷ minimizes (1/n) Σ (f_i - y_i)² + β ŷᵀLŷ.
  Vector y(kLabels);
  for (double& value : y) value = random.normal();
  const Eigen::MatrixXd z = to_f.topRows(kLabels);
  const Eigen::MatrixXd system = z.transpose() * z / kLabels + kRidge * laplacian;
  const Vector transductive = to_f * system.llt().solve(z.transpose() * y / kLabels);
  // Inductive: STKR with K = Tr(D) D⁻¹WD⁻¹ under p = D/Tr(D), by the library.
  const WeightedGram gram(std::make_unique<DenseGram>(Matrix(kernel), 1), degrees);
  std::vector<Index> labeled(kLabels);
  std::iota(labeled.begin(), labeled.end(), 0);
  StkrOptions options;
  options.transform = SpectralTransform::inverse_laplacian(eta);
  options.beta = kRidge;
  options.tolerance = 1e-12;
  const Fit fit = fit_stkr(gram, labeled, y, options, {.threads = 1});
  result.fit =
      (fit.fitted.col(0) - transductive).cwiseAbs().maxCoeff() / transductive.cwiseAbs().maxCoeff();
  return result;
}

}  // namespace

TheoryTable transductive_table(const TheoryOptions& options, const Context& context) {
  TheoryTable table{
      .name = "transductive",
      .title = "Transductive = inductive (app:proof-inv-lap-connect), K = Tr(D) D⁻¹WD⁻¹, p ∝ D",
      .measured_name = "largest relative difference",
      .bound_name = "rounding"};
  std::uint64_t experiment = 41;
  for (const double eta : {0.5, 0.9, 0.99}) {
    std::vector<double> norms(static_cast<std::size_t>(options.repetitions)), fits(norms);
    repeat(options.repetitions, context.threads, [&](std::size_t r) {
      const Differences found =
          transductive_differences(eta, repetition(context.seed, experiment, r));
      norms[r] = found.norm;
      fits[r] = found.fit;
    });
    const auto add = [&](const char* what, const std::vector<double>& values) {
      const double most = *std::max_element(values.begin(), values.end());
      table.rows.push_back({.series = fmt::format("{}, η = {:g}", what, eta),
                            .measured = most,
                            .bound = 1e-8,
                            .holds = most <= 1e-8});
    };
    add("ŷᵀLŷ and ‖f‖²_K - η‖f‖²_P", norms);
    add("fits", fits);
    ++experiment;
  }
  table.notes = {
      fmt::format("random graphs of {} nodes, {} labels; the inductive fit is fit_stkr "
                  "with node weights",
                  kNodes, kLabels)};
  return table;
}

}  // namespace stkr
