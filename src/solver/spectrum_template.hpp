#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "linop/device_operator.hpp"
#include "runtime/random.hpp"
#include "solver/spectrum.hpp"

namespace stkr {
namespace detail {

struct ExtremeRitz {
  Vector values;   // ascending
  Vector weights;  // squared first entries of the vectors
  double smallest_residual, largest_residual;
};

// Ritz values of the k × k Lanczos matrix and their residuals |β_k · last entry of the vector|.
ExtremeRitz extreme_ritz(const std::vector<double>& alpha, const std::vector<double>& beta);

}  // namespace detail

template <class Block>
SpectrumEstimate estimate_spectrum(const BasicLinearOperator<Block>& op,
                                   const SpectrumOptions& options, const Context& context) {
  if constexpr (std::same_as<Block, Matrix>) {
    if (const auto device = op.on_device()) return device->estimate_spectrum(options, context);
  }
  const int threads = context.threads;
  const Index n = op.size();
  SpectrumEstimate result;
  if (n == 0) return result;
  Random random(context.seed);
  const auto scalar = [](double value) { return Vector(Vector::Constant(1, value)); };
  Block v = op.new_block(1), previous = op.new_block(1), w = op.new_block(1);
  fill_normal(random, v);
  divide_columns(column_norms(v, threads), v, v, threads);

  // No reorthogonalization: lost orthogonality only repeats converged Ritz values, which does not
  // move the ends.
  std::vector<double> alpha, beta;
  detail::ExtremeRitz now;
  const int steps = static_cast<int>(std::min<Index>(options.max_steps, n));
  for (int k = 0; k < steps; ++k) {
    context.check_cancelled();
    op.apply(v, w);
    if (k > 0) add_scaled(scalar(-beta.back()), previous, w, threads);
    alpha.push_back(column_dots(v, w, threads)[0]);
    add_scaled(scalar(-alpha.back()), v, w, threads);
    beta.push_back(column_norms(w, threads)[0]);
    const bool last = k + 1 == steps || beta.back() <= 1e-14 * std::abs(alpha.front());
    if (last || k % 8 == 7) {
      now = detail::extreme_ritz(alpha, beta);
      result.steps = k + 1;
      result.smallest = now.values[0];
      result.largest = now.values[k];
      const double width = std::max(std::abs(result.smallest), std::abs(result.largest));
      const double residual = options.only_largest
                                  ? now.largest_residual
                                  : std::max(now.smallest_residual, now.largest_residual);
      if (last || residual <= options.tolerance * width) break;
    }
    std::swap(previous, v);
    divide_columns(scalar(beta.back()), w, v, threads);
  }
  result.bounds = {result.smallest - now.smallest_residual, result.largest + now.largest_residual};
  result.nodes = std::move(now.values);
  result.weights = std::move(now.weights);
  return result;
}

}  // namespace stkr
