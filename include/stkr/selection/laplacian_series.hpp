#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "stkr/estimator/kernel_pca.hpp"
#include "stkr/selection/kernel_rows.hpp"

namespace stkr {

// The inverse Laplacian for many η once the eigenvectors of kernel PCA are there. With the samples
// split into labeled (l) and unlabeled (u), the part θ_u = ηX θ_l of Algorithm 2's θ with
// X = (I - ηS_uu)⁻¹ S_ul leaves an n × n system for θ_l,
//   ((N - nβη) H + nβ I) θ_l = Y,   H = S_ll + ηS_lu X,   f = (R_l + ηR_u X) θ_l,
// which has no pole at η = 1/λ₁. X is written down on the eigenvectors of S_uu; on what is left of
// the spectrum 1/(1 - ηλ) is a short Chebyshev series, and all η share its products.
class LaplacianSeries {
 public:
  // How many products the largest η takes; none where the eigenvectors do not reach far enough.
  static std::optional<int> length(const GramOperator& gram, const KernelPca& pca,
                                   double hardest_eta);

  // `psi` holds ψ̂ at the labeled and scored samples: R applied to pca.vectors. Throws Cancelled.
  LaplacianSeries(const GramOperator& gram, const KernelRows& rows, const KernelPca& pca,
                  ConstMatrixRef psi, const std::vector<double>& etas, int threads,
                  std::stop_token cancel = {});

  // N·H above, then R_l + ηR_u X: labeled, then scored samples, × n; for the η at `place`.
  const Matrix& rows(std::size_t place) const { return blocks_[place]; }
  long products() const { return products_; }

 private:
  std::vector<Matrix> blocks_;
  long products_ = 0;
};

}  // namespace stkr
