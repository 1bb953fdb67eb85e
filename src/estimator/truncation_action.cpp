#include "estimator/truncation_action.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "estimator/spectral_action.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/solver/eigenpairs.hpp"
#include "transform/operator_polynomial.hpp"

namespace stkr {
namespace {

LeadingSpace space_of_truncation(const GramOperator& gram, Index d, const ActionOptions& options,
                                 const Context& context) {
  EigenpairOptions pairs_options;
  // Rounding of the products leaves residuals of up to about 1e-13 even for a few samples.
  constexpr double kAttainable = 2e-13;
  pairs_options.tolerance = std::max(options.tolerance, kAttainable);
  if (!gram.sparse()) pairs_options.dense_below = options.dense_below;
  std::vector<Index> samples;
  if (options.truncation_samples) {
    samples = *options.truncation_samples;
  } else {
    samples.resize(gram.local_size());
    std::iota(samples.begin(), samples.end(), Index{0});
  }
  const auto count =
      static_cast<Index>(sum_over(gram.shared_rows(), static_cast<double>(samples.size())));
  LeadingSpace space =
      leading_space(gram, std::move(samples), 1.0, d, options.top_d, pairs_options, context);
  if (space.positive < d) {
    throw ParameterError(fmt::format(
        "truncation: d = {} but the kernel has only {} positive eigenvalues on {}; choose d <= {}",
        d, space.positive,
        options.truncation_samples ? fmt::format("the {} samples that labels reach", count)
                                   : "these samples",
        space.positive));
  }
  return space;
}

}  // namespace

TruncationAction::TruncationAction(const GramOperator& gram, Index d, const ActionOptions& options,
                                   const Context& context)
    : threads_(context.threads),
      rows_(gram.shared_rows()),
      space_(space_of_truncation(gram, d, options, context)),
      eigenvectors_(std::make_shared<const Matrix>(
          scatter_rows(space_.vectors, space_.samples, gram.local_size()))) {}

Matrix TruncationAction::scaled(ConstMatrixRef b, const Vector& factors) const {
  Matrix coordinates = tall_product(*eigenvectors_, b, threads_);
  sum_over(rows_, coordinates);
  for (Index k = 0; k < coordinates.rows(); ++k) coordinates.row(k) *= factors[k];
  return tall_times_small(*eigenvectors_, coordinates, threads_);
}

Matrix TruncationAction::known(ConstMatrixRef b) const {
  return on_leading(b, [](double) { return 1.0; });
}

// s(δ) stands for any constant a for which (s(λ) - a)/(λ - δ) is finite on the spectrum: 0 if the
// cut is above δ, δ if it is below.
Matrix TruncationAction::fresh(
    ConstMatrixRef b, double delta, const LinearOperator& products,
    const std::function<Matrix(const LinearOperator&, const Matrix&)>& solve) const {
  if (space_.values[space_.kept() - 1] > delta) {
    return on_leading(b, [&](double lambda) { return lambda / (lambda - delta); });
  }
  // q = 1 on the leading eigenvectors and δ/(δ - λ) on the rest, where δI - S is positive definite.
  const Matrix leading = known(b);
  const OperatorPolynomial shifted(products, {delta, -1.0}, threads_);
  const LowRankSum deflated(borrowed<Matrix>(shifted), eigenvectors_, space_.values, threads_);
  return leading + delta * solve(deflated, b - leading);
}

}  // namespace stkr
