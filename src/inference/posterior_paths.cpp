#include "inference/posterior_paths.hpp"

#include <cmath>

#include "estimator/poisson_leading.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "transform/chebyshev.hpp"

namespace stkr {
namespace {

constexpr double kTolerance = 1e-3;
constexpr double kLargestEta = 0.9995;  // of the Poisson transform

double root(double value) { return value > 0.0 ? std::sqrt(value) : 0.0; }

}  // namespace

Matrix prior_paths(const TermSystem& term, const FittedSystem& system, Index count, Random& random,
                   const Context& context) {
  const GramOperator& gram = *system.gram;
  const SpectralAction& action = term.action();
  const SpectrumBounds bounds = action.spectrum().bounds;
  Matrix omega(gram.size(), count);
  fill_normal(random, omega);
  const double size = static_cast<double>(gram.size());
  std::function<double(double)> half = [&](double lambda) {
    return root(action.transform()(lambda));
  };
  Matrix kept;  // the part of the leading eigenvectors that the Poisson transform keeps
  if (const LeadingSpace* top = action.truncation()) {
    // U Λ^½ Ω', with s(S) = U Λ Uᵀ, over the samples that supply the eigenvectors.
    const Matrix scaled = top->values.cwiseSqrt().asDiagonal() * omega.topRows(top->kept());
    return std::sqrt(size) * scatter_rows(top->vectors * scaled, top->samples, gram.size());
  }
  if (const auto* poisson = std::get_if<PoissonTransform>(&action.transform().form())) {
    const KnownEigenspace& space = *gram.known_eigenspace();
    const double eta = std::min(poisson->eta, kLargestEta) / space.eigenvalue();
    half = [eta](double lambda) { return root(lambda / (1.0 - eta * lambda)); };
    const PoissonLeading leading(
        gram, poisson->eta,
        groups_of_equal_labels(&space, system.targets.labeled, system.targets.y));
    const Vector weights = leading.known_factors() * space.eigenvalue();  // s there
    kept = Matrix::Zero(gram.size(), count);
    space.add(weights.cwiseSqrt().asDiagonal() * space.coefficients(omega, context.threads), kept,
              context.threads);
    leading.restrict_to_rest(omega, context.threads);
  }
  const ChebyshevSeries series =
      chebyshev_quotient(half, bounds, {.tolerance = kTolerance, .max_degree = 512});
  Matrix divided(gram.size(), count);
  apply_chebyshev<Matrix>(gram, series, omega, divided, context.threads);
  Matrix paths = product(gram, divided);
  if (kept.size() > 0) paths += kept;
  return std::sqrt(size) * paths;
}

Vector label_noise(const TermSystem& term, const TermRidge& ridge, Index labels) {
  const Vector& weights = term.label_weights();
  const double shift = static_cast<double>(labels) * ridge.beta;
  if (weights.size() == 0) return Vector::Constant(labels, shift);
  return shift * weights.cwiseInverse();
}

Matrix posterior_paths(const TermSystem& term, const LinearSolution& solution, const Vector& noise,
                       const FittedSystem& system, Matrix paths, Random& random) {
  Matrix observed = gather_rows(paths, system.targets.labeled);
  Matrix draws(system.labels(), paths.cols());
  fill_normal(random, draws);
  observed += noise.cwiseSqrt().asDiagonal() * draws;
  // Not the response of centered classes: they are centered before they are given to the process.
  const bool constant = system.targets.constant;
  const Matrix alpha = (constant ? solution.response : solution.inverse) * observed;
  paths -= term.known() * alpha;
  if (constant) paths.rowwise() -= (solution.offset.transpose() * observed).eval();
  return paths;
}

}  // namespace stkr
