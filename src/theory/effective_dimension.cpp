#include <fmt/format.h>

#include <cmath>

#include "estimator/labeled_system.hpp"
#include "solver/symmetric_eigen.hpp"
#include "stkr/error.hpp"
#include "stkr/theory/spectrum.hpp"

namespace stkr {
namespace {

void check_beta(double beta) {
  if (beta > 0.0 && std::isfinite(beta)) return;
  throw ParameterError(fmt::format("effective dimension: beta = {}; expected beta > 0", beta));
}

[[noreturn]] void refuse_indefinite(double value, double shift) {
  throw ValueError(fmt::format(
      "effective dimension: the transformed kernel has the eigenvalue {:.3g}, which the "
      "ridge {:.3g} does not make positive; use an even power, the lazy walk or a "
      "larger beta",
      value, shift));
}

}  // namespace

double effective_dimension(const GramOperator& gram, const SpectralTransform& transform,
                           std::span<const Index> samples, double beta, const Context& context) {
  check_beta(beta);
  check_block_indices(gram, samples, {}, "effective dimension");
  const SpectralAction action(gram, transform, {}, context);
  Matrix g = transformed_gram(gram, action, samples);
  if (const Vector* root = gram.root_weights()) {
    for (Index i = 0; i < g.rows(); ++i) {
      for (Index j = 0; j < g.cols(); ++j) {
        const double scale = (*root)[samples[i]] * (*root)[samples[j]];
        g(i, j) = scale > 0.0 ? g(i, j) / scale : 0.0;
      }
    }
  }
  const double shift = static_cast<double>(samples.size()) * beta;
  double sum = 0.0;
  for (const double value : symmetric_eigen(g, context.cancel).values) {
    if (!(value + shift > 0.0)) refuse_indefinite(value, shift);
    sum += value / (value + shift);
  }
  return sum;
}

Estimate effective_dimension(const SpectralDensity& density, const SpectralTransform& transform,
                             double beta) {
  check_beta(beta);
  if (std::holds_alternative<TruncationTransform>(transform.form()) ||
      std::holds_alternative<PoissonTransform>(transform.form())) {
    throw ParameterError(
        fmt::format("effective dimension from the density: {} is not a function of lambda; give "
                    "the samples instead",
                    transform.name()));
  }
  return density.trace([&](double lambda) {
    const double value = transform(lambda);
    if (!(value + beta > 0.0)) refuse_indefinite(value, beta);
    return value / (value + beta);
  });
}

}  // namespace stkr
