#pragma once

#include <optional>
#include <vector>

#include "estimator/kernel_pca.hpp"
#include "selection/kernel_rows.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

// Computes the inverse Laplacian for many η from the eigenvectors of kernel PCA. With the samples
// split into labeled (l) and unlabeled (u), the part θ_u = ηX θ_l of Algorithm 2's θ with X = (I -
// ηS_uu)⁻¹ S_ul leaves an n × n system for θ_l,
//   ((N - nβη) H + nβ I) θ_l = Y,   H = S_ll + ηS_lu X,   f = (R_l + ηR_u X) θ_l,
// which has no pole at η = 1/λ₁. X is explicit on the eigenvectors of S_uu; on the rest of the
// spectrum, 1/(1 - ηλ) is a short Chebyshev series, and all η share its products.
class LaplacianSeries {
 public:
  // The number of products for the largest η; nullopt if the eigenvectors do not reach far enough.
  static std::optional<int> length(const GramOperator& gram, const KernelPca& pca,
                                   double hardest_eta);

  // `psi` holds ψ̂ at the labeled and scored samples: R applied to pca.vectors. Throws Cancelled.
  LaplacianSeries(const GramOperator& gram, const KernelRows& rows, const KernelPca& pca,
                  ConstMatrixRef psi, const std::vector<double>& etas, const Context& context = {});

  // N·H, then R_l + ηR_u X: labeled, then scored samples, × n; for the η with index `place`.
  const Matrix& rows(std::size_t place) const { return blocks_[place]; }
  long products() const { return products_; }

 private:
  std::vector<Matrix> blocks_;
  long products_ = 0;
};

}  // namespace stkr
