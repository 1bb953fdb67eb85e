#include "stkr/estimator/label_propagation.hpp"

#include <fmt/format.h>

#include <chrono>

#include "stkr/error.hpp"
#include "stkr/estimator/spectral_action.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/transform/operator_polynomial.hpp"

namespace stkr {

Fit fit_label_propagation(const GramOperator& gram, std::span<const Index> labeled,
                          ConstMatrixRef y, const LabelPropagationOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  check_labeled(gram, labeled, y);
  if (options.iterations < 0) {
    throw ValueError(
        fmt::format("label propagation: {} iterations; expected 1 or more, or 0 for "
                    "convergence",
                    options.iterations));
  }
  ActionOptions action_options;
  action_options.tolerance = options.tolerance;
  action_options.max_iterations = options.max_iterations;
  action_options.dense_below = options.execution.factorize_below;
  action_options.seed = options.seed;
  action_options.threads = options.threads;
  action_options.control = options.control;
  // (I - ηS)⁻¹ is g of the inverse Laplacian, and the same η are allowed.
  const SpectralAction inverse(gram, SpectralTransform::inverse_laplacian(options.eta),
                               action_options);
  Fit fit;
  fit.summary.method = "label-propagation";
  fit.summary.transform = fmt::format("label propagation eta={:.6g}", options.eta);
  fit.summary.spectrum = inverse.spectrum().bounds;
  fit.fitted.resize(gram.size(), y.cols());
  const auto propagate = [&](Index first, Index count) {
    const Matrix y_tilde = scatter_rows(y.middleCols(first, count), labeled, gram.size());
    if (options.iterations == 0) {
      fit.fitted.middleCols(first, count) = product(inverse, y_tilde);
      return;
    }
    Matrix now = y_tilde, next(gram.size(), count);
    for (int t = 0; t < options.iterations; ++t) {
      if (options.control.cancel.stop_requested()) throw Cancelled("stopped by the caller");
      gram.apply(now, next);
      now = options.eta * next + y_tilde;
      ++fit.summary.products;
    }
    fit.fitted.middleCols(first, count) = now;
  };
  for_batches(y.cols(), options.execution.outputs_at_once, propagate);
  if (options.iterations == 0) {
    fit.summary.solve = inverse.inner();
    if (fit.summary.solve.solver.empty()) fit.summary.solve.solver = "direct";  // factorised
    fit.summary.products = inverse.products();
  } else {
    fit.summary.solve.solver = "propagation steps";
    fit.summary.solve.iterations = options.iterations;
  }
  fit.coefficients = (options.eta / static_cast<double>(gram.size())) * fit.fitted;
  fit.summary.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return fit;
}

}  // namespace stkr
