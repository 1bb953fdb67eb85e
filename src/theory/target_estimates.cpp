#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stkr/error.hpp"
#include "stkr/theory/fit_estimates.hpp"
#include "stkr/theory/rkhs_norm.hpp"

namespace stkr {
namespace {

void check_estimated(const GramOperator& gram, const Matrix& values, const Matrix& residuals) {
  if (values.rows() != gram.size() || values.cols() != residuals.cols() || values.cols() == 0) {
    throw ShapeError(
        fmt::format("target estimates: {} x {} values and {} x {} residuals for {} samples; "
                    "expected f at all samples and the residuals of its labels, one column per "
                    "output in both",
                    values.rows(), values.cols(), residuals.rows(), residuals.cols(), gram.size()));
  }
  if (residuals.rows() == 0 || !residuals.allFinite()) {
    throw ValueError(fmt::format(
        "target estimates: {}; expected finite residuals of labels that the fit did not see",
        residuals.rows() == 0 ? "there are no residuals" : "a residual is not finite"));
  }
}

// `norms`: ‖f‖² in H_{K_s} of each output.
TargetEstimates estimates_from(const GramOperator& gram, const Matrix& values, const Vector& norms,
                               const Matrix& residuals) {
  const auto n = static_cast<double>(gram.size());
  const Vector* root = gram.root_weights();
  TargetEstimates result{.residuals = residuals.rows()};
  TargetEstimate& worst = result.worst;
  for (Index c = 0; c < values.cols(); ++c) {
    const Vector f = values.col(c);
    const double square = (root ? Vector(root->cwiseProduct(f)) : f).squaredNorm() / n;
    TargetEstimate one;
    one.mean = root ? root->cwiseAbs2().dot(f) / n : f.mean();
    one.scale_b = std::sqrt(square);
    one.epsilon = square > 0.0 ? norms[c] / square : 0.0;
    one.sigma_squared = residuals.col(c).squaredNorm() / static_cast<double>(residuals.rows());
    one.moment_l = residuals.col(c).cwiseAbs().maxCoeff();
    if (std::abs(one.mean) > std::abs(worst.mean)) worst.mean = one.mean;
    worst.scale_b = std::max(worst.scale_b, one.scale_b);
    worst.epsilon = std::max(worst.epsilon, one.epsilon);
    worst.sigma_squared = std::max(worst.sigma_squared, one.sigma_squared);
    worst.moment_l = std::max(worst.moment_l, one.moment_l);
    result.outputs.push_back(one);
  }
  return result;
}

}  // namespace

double TargetEstimate::sigma() const { return std::sqrt(sigma_squared); }

TargetEstimates target_estimates(const GramOperator& gram, const SpectralTransform& transform,
                                 const Matrix& values, const Matrix& residuals,
                                 const QuadraticFormOptions& options, const Context& context) {
  check_estimated(gram, values, residuals);
  Vector norms(values.cols());
  for (Index c = 0; c < values.cols(); ++c) {
    norms[c] = rkhs_norm(gram, transform, values.col(c), options, context).squared;
  }
  return estimates_from(gram, values, norms, residuals);
}

TargetEstimates target_estimates_stkr(const GramOperator& gram, std::span<const Index> labeled,
                                      ConstMatrixRef y, const StkrOptions& options,
                                      const Context& context) {
  if (gram.root_weights() != nullptr) {
    throw ValueError(
        "target estimates: samples carry weights; expected samples that count equally");
  }
  if (labeled.size() < 2) {
    throw ValueError(
        fmt::format("target estimates: {} labeled samples; expected at least two, to leave one out",
                    labeled.size()));
  }
  if (std::holds_alternative<PoissonTransform>(options.transform.form())) {
    throw ParameterError(
        "target estimates: the Poisson transform has no space of functions; use inverse-laplacian "
        "with eta < 1/lambda_1");
  }
  StkrOptions direct = options;
  direct.leave_one_out = true;
  direct.solver = StkrSolver::direct;
  const Fit fit = fit_stkr(gram, labeled, y, direct, context);
  if (fit.left_out.size() == 0) {
    throw ValueError(
        "target estimates: the fit could not leave labels out; use another transform or fewer "
        "labels");
  }
  // By α, not by the values: those of eigenfunctions with small eigenvalues are lost in rounding.
  return estimates_from(gram, fit.fitted, fitted_norms(fit, labeled), Matrix(y) - fit.left_out);
}

}  // namespace stkr
