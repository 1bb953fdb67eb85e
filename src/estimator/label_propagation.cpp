#include "estimator/label_propagation.hpp"

#include <fmt/format.h>

#include <chrono>

#include "estimator/evidence.hpp"
#include "estimator/spectral_action.hpp"
#include "gram/weighted_gram.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "transform/operator_polynomial.hpp"

namespace stkr {

Fit fit_label_propagation(const GramOperator& gram, std::span<const Index> labeled,
                          ConstMatrixRef y, const LabelPropagationOptions& options,
                          const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  check_labeled(gram, labeled, y);
  if (options.iterations < 0) {
    throw ParameterError(
        fmt::format("label propagation: {} iterations; expected 1 or more, or 0 for "
                    "convergence",
                    options.iterations));
  }
  ActionOptions action_options;
  action_options.tolerance = options.tolerance;
  action_options.max_iterations = options.max_iterations;
  action_options.dense_below = options.execution.factorize_below;
  // (I - ηS)⁻¹ is g of the inverse Laplacian, and the same η are allowed.
  const SpectralAction inverse(gram, SpectralTransform::inverse_laplacian(options.eta),
                               action_options, context);
  Fit fit;
  fit.summary.method = "label-propagation";
  fit.summary.transform = fmt::format("label propagation eta={:.6g}", options.eta);
  fit.summary.spectrum = inverse.spectrum().bounds;
  const Index rows = gram.local_size();
  fit.fitted.resize(rows, y.cols());
  fit.coefficients.resize(rows, y.cols());
  const double delta = gram.self_term();
  const auto size = static_cast<double>(gram.size());
  const Vector* root = gram.root_weights();
  const auto propagate = [&](Index first, Index count) {
    Matrix y_tilde =
        scatter_samples(gram.shared_rows(), y.middleCols(first, count), labeled, gram.size());
    if (root) y_tilde = root->asDiagonal() * y_tilde;
    auto fitted = fit.fitted.middleCols(first, count);
    auto coefficients = fit.coefficients.middleCols(first, count);
    if (options.iterations == 0) {
      fitted = inverse.apply_pair(y_tilde).known;
      coefficients = options.eta / (size * (1.0 - options.eta * delta)) * fitted;
      return;
    }
    Matrix now = y_tilde, next(rows, count), z = Matrix::Zero(rows, count);
    for (int t = 0; t < options.iterations; ++t) {
      context.check_cancelled();
      z = options.eta * (now + delta * z);
      gram.apply(now, next);
      now = options.eta * next + y_tilde;
      ++fit.summary.products;
    }
    fitted = now;
    coefficients = z / size;
  };
  for_batches(y.cols(), options.execution.outputs_at_once, propagate);
  if (root) {
    fit.fitted = inverse_or_zero(*root).asDiagonal() * fit.fitted;
  }
  if (options.iterations == 0) {
    fit.summary.solve = inverse.inner();
    if (fit.summary.solve.solver.empty()) fit.summary.solve.solver = "direct";  // factorized
    fit.summary.products = inverse.products();
  } else {
    fit.summary.solve.solver = "propagation steps";
    fit.summary.solve.iterations = options.iterations;
  }
  ReachSteps steps;
  for (int t = 1; t <= options.iterations; ++t) steps.exactly.push_back(t);
  fit.evidence = evidence_of(gram, labeled, steps, fit.fitted);
  // A label reaches its own sample in zero steps.
  if (!fit.evidence.reached.empty()) {
    for (const Index i : local_samples(gram.shared_rows(), labeled)) fit.evidence.reached[i] = 1;
  }
  fit.summary.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return fit;
}

}  // namespace stkr
