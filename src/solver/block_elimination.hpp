#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "stkr/matrix.hpp"

namespace stkr::detail {

// One block of a block-tridiagonal matrix T = Vᵀ S V.
struct BlockStep {
  Matrix diagonal;  // V_kᵀ S V_k
  Matrix below;     // V_{k+1}ᵀ S V_k; no rows at the end of the space
  Matrix rows;      // R V_k
};

// Block Cholesky of I - ηT, step by step: D_1 = I - ηA_1, D_{k+1} = I - ηA_{k+1} - η²B_k D_k⁻¹B_kᵀ,
// and the eliminated right-hand side z_{k+1} = ηB_k D_k⁻¹z_k.
struct BlockElimination {
  explicit BlockElimination(double eta_in) : eta(eta_in) {}

  // Returns false if I - ηT is not positive definite.
  bool advance(const BlockStep& step, const BlockStep* previous, const Matrix& start);

  // Throws the ValueError that explains it.
  [[noreturn]] void fail() const;

  // The last block of the solution.
  Eigen::MatrixXd last() const { return factors.back().solve(z.back()); }

  double eta;
  std::vector<Eigen::LLT<Eigen::MatrixXd>> factors;  // D_k
  std::vector<Eigen::MatrixXd> couplings;            // D_k⁻¹ B_kᵀ
  std::vector<Eigen::MatrixXd> z;
};

}  // namespace stkr::detail
