#include "solver/spectrum_template.hpp"
#include "solver/symmetric_eigen.hpp"

namespace stkr {
namespace detail {

ExtremeRitz extreme_ritz(const std::vector<double>& alpha, const std::vector<double>& beta) {
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

}  // namespace detail

template SpectrumEstimate estimate_spectrum(const LinearOperator&, const SpectrumOptions&,
                                            const Context&);

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
