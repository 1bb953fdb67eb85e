#include "solver/block_elimination.hpp"

#include <fmt/format.h>

#include "stkr/error.hpp"

namespace stkr::detail {

bool BlockElimination::advance(const BlockStep& step, const BlockStep* previous,
                               const Matrix& start) {
  Eigen::MatrixXd pivot = -eta * step.diagonal;
  pivot.diagonal().array() += 1.0;
  if (previous) {
    const Eigen::MatrixXd& p =
        couplings.emplace_back(factors.back().solve(Eigen::MatrixXd(previous->below.transpose())));
    pivot.noalias() -= eta * eta * (previous->below * p);
    z.emplace_back(eta * (p.transpose() * z.back()));
  } else {
    z.emplace_back(start);
  }
  factors.emplace_back(pivot);
  return factors.back().info() == Eigen::Success;
}

void BlockElimination::fail() const {
  throw ValueError(fmt::format(
      "eta = {:.8g} reaches the top of the kernel's spectrum; choose a smaller eta", eta));
}

}  // namespace stkr::detail
