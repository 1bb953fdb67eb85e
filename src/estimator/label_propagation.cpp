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
  const Matrix y_tilde = scatter_rows(y, labeled, gram.size());
  ActionOptions action_options;
  action_options.tolerance = options.tolerance;
  action_options.max_iterations = options.max_iterations;
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
  if (options.iterations == 0) {
    fit.fitted = product(inverse, y_tilde);
    fit.summary.solve = inverse.inner();
    if (fit.summary.solve.solver.empty()) fit.summary.solve.solver = "direct";  // factorised
    fit.summary.products = inverse.products();
  } else {
    fit.fitted = y_tilde;
    Matrix next(gram.size(), y.cols());
    for (int t = 0; t < options.iterations; ++t) {
      if (options.control.cancel.stop_requested()) throw Cancelled("stopped by the caller");
      gram.apply(fit.fitted, next);
      fit.fitted = options.eta * next + y_tilde;
    }
    fit.summary.solve.solver = "propagation steps";
    fit.summary.solve.iterations = options.iterations;
    fit.summary.products = options.iterations;
  }
  fit.coefficients = (options.eta / static_cast<double>(gram.size())) * fit.fitted;
  fit.summary.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return fit;
}

}  // namespace stkr
