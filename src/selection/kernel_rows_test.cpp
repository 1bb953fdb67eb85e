#include "selection/kernel_rows.hpp"

#include <gtest/gtest.h>

#include "selection_cases.hpp"
#include "stkr/error.hpp"

namespace stkr::kernel_rows_test {
namespace {

using namespace cases;
using reference::relative_error;

class RowsOfEveryCase : public testing::TestWithParam<ScoredCase> {};

INSTANTIATE_TEST_SUITE_P(Cases, RowsOfEveryCase, testing::ValuesIn(scored_cases()), CaseName());

TEST_P(RowsOfEveryCase, AreThoseOfTheKernel) {
  const ScoredCase& c = GetParam();
  const auto gram = c.make(1);
  const auto cross = c.make(1)->cross_kernel();
  const Matrix x = random_matrix(gram->size(), 3, 41);
  const Matrix s_x = product(*gram, x);
  const KernelRows seen(*gram, c.labeled, c.scored);
  EXPECT_FALSE(seen.inductive());
  EXPECT_EQ(seen.scored(), static_cast<Index>(c.scored.size()));
  Matrix expected(seen.labeled().size() + c.scored.size(), 3);
  expected << reference::rows_of(c.kernel * x, c.labeled),
      reference::rows_of(c.kernel * x, c.scored);
  EXPECT_LT(relative_error(seen.apply(x, s_x), expected), 1e-12);
  expected << reference::rows_of(x, c.labeled), reference::rows_of(x, c.scored);
  EXPECT_EQ(seen.gather(x), expected);

  const auto placed = cross->place(c.fresh);
  const KernelRows fresh(*gram, c.labeled, *placed, c.fresh.count());
  EXPECT_TRUE(fresh.inductive());
  EXPECT_EQ(fresh.scored(), c.cross.rows());
  Matrix with_new(c.labeled.size() + c.cross.rows(), 3);
  with_new << reference::rows_of(c.kernel * x, c.labeled), c.cross * x;
  EXPECT_LT(relative_error(fresh.apply(x, s_x), with_new), 1e-12);

  const KernelRows mixed(*gram, c.labeled, *placed, c.fresh.count(), c.scored);
  EXPECT_EQ(mixed.scored(), static_cast<Index>(c.scored.size()) + c.cross.rows());
  Matrix with_both(c.labeled.size() + c.scored.size() + c.cross.rows(), 3);
  with_both << reference::rows_of(c.kernel * x, c.labeled),
      reference::rows_of(c.kernel * x, c.scored), c.cross * x;
  EXPECT_LT(relative_error(mixed.apply(x, s_x), with_both), 1e-12);
}

TEST(KernelRows, MayHaveNothingToScore) {
  const GramCase points = gram_cases()[0];
  const auto gram = points.make(1);
  const KernelRows rows(*gram, {3, 1}, std::vector<Index>{});
  const Matrix x = random_matrix(kSamples, 2, 42);
  EXPECT_EQ(rows.apply(x, product(*gram, x)).rows(), 2);
}

TEST(KernelRows, RejectsSamplesThatAreNotThere) {
  const GramCase points = gram_cases()[0];
  const auto gram = points.make(1);
  EXPECT_THROW(KernelRows(*gram, {0, kSamples}, std::vector<Index>{1}), ValueError);
  EXPECT_THROW(KernelRows(*gram, {0}, std::vector<Index>{-1}), ValueError);
}

}  // namespace
}  // namespace stkr::kernel_rows_test
