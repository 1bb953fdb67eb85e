#include "solver/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/random.hpp"
#include "solver/symmetric_eigen.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

struct Ritz {
  Vector values;   // ascending
  Vector weights;  // squared first entries of the vectors
  double smallest_residual, largest_residual;
};

// Ritz values of the k × k Lanczos matrix and their residuals |β_k · last entry of the vector|.
Ritz ritz_pairs(const std::vector<double>& alpha, const std::vector<double>& beta) {
  const auto k = static_cast<Index>(alpha.size());
  Matrix t = Matrix::Zero(k, k);
  for (Index j = 0; j < k; ++j) {
    t(j, j) = alpha[j];
    if (j + 1 < k) t(j + 1, j) = t(j, j + 1) = beta[j];
  }
  const SymmetricEigen eigen = symmetric_eigen(t);
  const double last = beta.back();
  return {eigen.values.reverse(), eigen.vectors.row(0).transpose().reverse().cwiseAbs2(),
          last * std::abs(eigen.vectors(k - 1, k - 1)), last * std::abs(eigen.vectors(k - 1, 0))};
}

}  // namespace

SpectrumEstimate estimate_spectrum(const LinearOperator& op, const SpectrumOptions& options,
                                   const Context& context) {
  const Index n = op.size();
  SpectrumEstimate result;
  if (n == 0) return result;
  Random random(context.seed);
  Matrix v(n, 1), previous = Matrix::Zero(n, 1), w(n, 1);
  for (Index i = 0; i < n; ++i) v(i, 0) = random.normal();
  v /= column_norms(v, context.threads)[0];

  // No reorthogonalization: lost orthogonality only repeats converged Ritz values, which does not
  // move the ends.
  std::vector<double> alpha, beta;
  Ritz now;
  const int steps = static_cast<int>(std::min<Index>(options.max_steps, n));
  for (int k = 0; k < steps; ++k) {
    context.check_cancelled();
    op.apply(v, w);
    if (k > 0) add_scaled(Vector::Constant(1, -beta.back()), previous, w, context.threads);
    alpha.push_back(column_dots(v, w, context.threads)[0]);
    add_scaled(Vector::Constant(1, -alpha.back()), v, w, context.threads);
    beta.push_back(column_norms(w, context.threads)[0]);
    const bool last = k + 1 == steps || beta.back() <= 1e-14 * std::abs(alpha.front());
    if (last || k % 8 == 7) {
      now = ritz_pairs(alpha, beta);
      result.steps = k + 1;
      result.smallest = now.values[0];
      result.largest = now.values[k];
      const double width = std::max(std::abs(result.smallest), std::abs(result.largest));
      if (last ||
          std::max(now.smallest_residual, now.largest_residual) <= options.tolerance * width) {
        break;
      }
    }
    previous.swap(v);
    v = w / beta.back();
  }
  result.bounds = {result.smallest - now.smallest_residual, result.largest + now.largest_residual};
  result.nodes = std::move(now.values);
  result.weights = std::move(now.weights);
  return result;
}

double SpectrumEstimate::quantile(Index k, Index n) const {
  // Half of a node's weight lies on either side of it; linear between nodes.
  const double wanted = static_cast<double>(k) / static_cast<double>(n);
  double above = 0.0;
  for (Index i = nodes.size() - 1; i >= 0; --i) {
    const double at_node = above + 0.5 * weights[i];
    if (at_node >= wanted) {
      if (i + 1 == nodes.size()) return nodes[i];
      const double before = above - 0.5 * weights[i + 1];
      return nodes[i + 1] + (wanted - before) / (at_node - before) * (nodes[i] - nodes[i + 1]);
    }
    above += weights[i];
  }
  return nodes.size() > 0 ? nodes[0] : 0.0;
}

}  // namespace stkr
