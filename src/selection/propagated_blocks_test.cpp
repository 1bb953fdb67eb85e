#include "selection/propagated_blocks.hpp"

#include <gtest/gtest.h>

#include "collected_blocks.hpp"
#include "stkr/error.hpp"

namespace stkr::propagated_blocks_test {
namespace {

using namespace cases;
using reference::relative_error;

TEST(PropagatedBlocks, AreThePartialSumsOfTheReference) {
  for (const char* name : {"awkward_symmetric", "blocks_lazy_walk", "indefinite_kernel"}) {
    SCOPED_TRACE(name);
    const ScoredCase c = case_named(name);
    const reference::Dense dense = c.dense();
    const auto gram = c.make(1);
    const KernelRows rows(*gram, c.labeled, c.scored);
    Grid grid;
    grid.propagation_etas = {0.9, 0.5};
    grid.propagation_steps = {4, 1, 7};  // unordered
    const Matrix b = reference::spread(random_matrix(static_cast<Index>(c.labeled.size()), 2, 37),
                                       c.labeled, gram->size());
    std::size_t calls = 0;
    const FamilyCost cost = propagated_blocks(
        *gram, rows, b, grid,
        [&](std::size_t eta, std::size_t steps, const Matrix& answer) {
          ++calls;
          const double unit = grid.propagation_etas[eta] / dense.largest();
          Matrix y = b;
          for (int t = 0; t < grid.propagation_steps[steps]; ++t) {
            y = unit / static_cast<double>(gram->size()) * (c.kernel * y) + b;
          }
          Matrix expected(answer.rows(), 2);
          expected << reference::rows_of(y, c.labeled), reference::rows_of(y, c.scored);
          EXPECT_LT(relative_error(answer, expected), 1e-12);
        },
        dense.largest());
    EXPECT_EQ(calls, 6u);
    EXPECT_EQ(cost.products, 7);
  }
}

TEST(PropagatedBlocks, StopWhenAsked) {
  const ScoredCase c = case_named("blocks_lazy_walk");
  const auto gram = c.make(1);
  const KernelRows rows(*gram, c.labeled, c.scored);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(propagated_blocks(*gram, rows, Matrix::Ones(gram->size(), 1), Grid{}, [](auto...) {},
                                 1.0, {.cancel = stop.get_token()}),
               Cancelled);
}

}  // namespace
}  // namespace stkr::propagated_blocks_test
