#include "selection/propagated_blocks.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "gram/weighted_gram.hpp"
#include "runtime/byte_count.hpp"
#include "runtime/progress_counter.hpp"

namespace stkr {

FamilyCost propagated_blocks(const GramOperator& gram, const KernelRows& rows, Matrix b,
                             const Grid& grid, const PropagationSink& sink,
                             double largest_eigenvalue, const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  FamilyCost cost{Family::label_propagation};
  if (grid.propagation_steps.empty() || grid.propagation_etas.empty()) return cost;
  const int last = *std::max_element(grid.propagation_steps.begin(), grid.propagation_steps.end());
  // Weighted samples use the coordinates √w f.
  const Vector* root = gram.root_weights();
  const auto sample = [&](const Matrix& block) {
    return rows.gather(root ? Matrix(inverse_or_zero(*root).asDiagonal() * block) : block);
  };
  if (root) b = root->asDiagonal() * b;
  std::vector<Matrix> sums(grid.propagation_etas.size());
  for (Matrix& sum : sums) sum = sample(b);
  Matrix next(b.rows(), b.cols());
  ProgressCounter counter(context.progress, "label propagation", last);
  for (int k = 1; k <= last; ++k) {
    context.check_cancelled();
    gram.apply(b, next);
    b.swap(next);
    ++cost.products;
    counter.add();
    const Matrix sampled = sample(b);
    const auto steps = std::find(grid.propagation_steps.begin(), grid.propagation_steps.end(), k);
    for (std::size_t e = 0; e < sums.size(); ++e) {
      const double eta = grid.propagation_etas[e] / largest_eigenvalue;
      sums[e] += std::pow(eta, k) * sampled;
      if (steps != grid.propagation_steps.end()) {
        sink(e, static_cast<std::size_t>(steps - grid.propagation_steps.begin()), sums[e]);
      }
    }
  }
  cost.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return cost;
}

SolveCost propagated_cost(const BlockShape& shape, const Grid& grid, Index columns) {
  const auto width = static_cast<double>(columns);
  const auto etas = static_cast<double>(grid.propagation_etas.size());
  return {.blocks = block_byte_count(shape.solve.samples, width,
                                     4.0 + static_cast<double>(shape.solve.scratch)),
          .system = static_cast<std::uint64_t>(8.0 * etas * shape.rows() * width),
          .products = {{static_cast<double>(*std::max_element(grid.propagation_steps.begin(),
                                                              grid.propagation_steps.end())),
                        width}}};
}

}  // namespace stkr
