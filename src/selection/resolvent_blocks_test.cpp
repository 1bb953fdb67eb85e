#include "selection/resolvent_blocks.hpp"

#include <gtest/gtest.h>

#include "estimator/poisson_leading.hpp"
#include "estimator/spectral_action.hpp"
#include "selection_cases.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr::resolvent_blocks_test {
namespace {

using cases::ScoredCase;

class ResolventBlocksOfEveryCase : public testing::TestWithParam<ScoredCase> {};

struct CaseName {
  std::string operator()(const testing::TestParamInfo<ScoredCase>& info) const {
    return info.param.name;
  }
};

INSTANTIATE_TEST_SUITE_P(Cases, ResolventBlocksOfEveryCase,
                         testing::ValuesIn(cases::scored_cases()), CaseName());

// SpectralAction is compared with the dense reference in its own test; here both must agree, in one
// batch of labels and in several.
void expect_agreement(const GramOperator& gram, const KernelRows& rows, double estimated) {
  const KnownEigenspace* space = gram.known_eigenspace();
  const bool known = space && space->dimension() > 0 && space->eigenvalue() > 0.0;
  const double largest = known ? space->eigenvalue() : estimated;
  std::vector<char> kept(known ? static_cast<std::size_t>(space->dimension()) : 0, 0);
  if (kept.size() > 1) kept.back() = 1;
  const Matrix e =
      scatter_rows(Matrix::Identity(rows.labels(), rows.labels()), rows.labeled(), gram.size());
  for (const Index batch : {rows.labels(), Index{2}}) {
    SCOPED_TRACE(batch);
    std::vector<ResolventBlock> blocks{
        {Family::inverse_laplacian, 0, 0.9}, {Family::poisson, 0, 0.9}, {Family::poisson, 1, 1.0}};
    resolvent_blocks(gram, rows,
                     {.largest_eigenvalue = largest,
                      .tolerance = 1e-12,
                      .labels_at_once = batch,
                      .kept_groups = kept},
                     {.threads = 1}, blocks);
    for (const ResolventBlock& block : blocks) {
      SCOPED_TRACE(to_string(block.family) + std::to_string(block.parameter));
      if (block.family == Family::poisson && !known) {
        EXPECT_NE(block.reason.find("not known"), std::string::npos);
        continue;
      }
      ASSERT_EQ(block.reason, "");
      const SpectralAction action(
          gram,
          block.family == Family::poisson
              ? SpectralTransform::poisson(block.parameter)
              : SpectralTransform::inverse_laplacian(block.parameter / largest),
          {.tolerance = 1e-13, .kept_groups = kept});
      const TransformedPair pair = action.apply_pair(e);
      const Matrix& fresh = pair.fresh.size() > 0 ? pair.fresh : pair.known;
      Matrix expected = rows.apply(pair.known, product(gram, pair.known));
      expected.bottomRows(rows.fresh()) =
          rows.apply(fresh, product(gram, fresh)).bottomRows(rows.fresh());
      EXPECT_LT((block.rows - expected).norm(), 1e-7 * expected.norm());
    }
  }
}

TEST_P(ResolventBlocksOfEveryCase, AgreeWithTheActionOfTheTransform) {
  const ScoredCase& c = GetParam();
  const auto gram = c.make(1);
  const double largest = c.dense().largest();
  expect_agreement(*gram, KernelRows(*gram, c.labeled, c.scored), largest);
  const auto cross = gram->cross_kernel();
  const auto placed = cross->place(c.fresh);
  expect_agreement(*gram, KernelRows(*gram, c.labeled, *placed, c.cross.rows()), largest);
}

}  // namespace
}  // namespace stkr::resolvent_blocks_test
