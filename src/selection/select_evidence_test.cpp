#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "selection_cases.hpp"
#include "small_problem.hpp"
#include "stkr/gram/graph_gram.hpp"
#include "stkr/selection/select.hpp"

namespace stkr::select_evidence_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Power 1 on a sparse graph reaches only the neighbors of labels; all others get the most frequent
// class, which 12 of 15 labels have.
TEST(Select, DoesNotChooseWhatKnowsNothing) {
  const Index n = 150;
  Matrix w = Matrix::Zero(n, n);
  for (Index i = 0; i + 1 < n; ++i) {
    if (i != 119) w(i, i + 1) = w(i + 1, i) = 1.0;  // two paths, of 120 and of 30 nodes
  }
  ClassLabels labels{{"a", "b"}, std::vector<std::int32_t>(n, kUnlabeled)};
  std::vector<Index> labeled;
  for (Index k = 0; k < 12; ++k) labeled.push_back(10 * k + 5);
  for (Index k = 0; k < 3; ++k) labeled.push_back(120 + 10 * k + 5);
  for (const Index i : labeled) labels.code[i] = i < 120 ? 0 : 1;
  const GraphGram gram(to_csr(w), {.normalization = GraphNormalization::lazy_walk});
  Grid grid = small_grid({});
  grid.powers = {1};
  grid.polynomials = {};
  grid.times = {};
  grid.etas = {0.99};
  grid.propagation_etas = {};
  grid.betas = {};
  grid.ridges = {100.0, 0.1};
  SelectOptions options = exact_options(grid);
  options.no_evidence = NoEvidence::guess;
  for (const bool leave_one_out : {false, true}) {
    const auto run = [&] {
      return leave_one_out ? select_by_leave_one_out(gram, labels, options)
                           : select_by_folds(gram, labels, 5, options);
    };
    const Selection selection = run();
    const GridScore& power = selection.scores.at(0);
    ASSERT_EQ(power.point.family, Family::power);
    EXPECT_EQ(power.validation_no_evidence, 15);
    EXPECT_EQ(power.validation, 0.5);
    const GridScore& best = selection.scores[*selection.best()];
    EXPECT_EQ(best.point.family, Family::inverse_laplacian);
    EXPECT_EQ(best.validation_no_evidence, 0);
    EXPECT_EQ(best.validation, 1.0);
    EXPECT_THAT(selection.warnings_of_best(labels, labeled), IsEmpty());
    options.no_evidence = NoEvidence::prior;
    EXPECT_EQ(run().scores.at(0).validation, 0.8);
    options.no_evidence = NoEvidence::guess;
  }
  // Without alternatives it is chosen, with a warning.
  options.grid.etas = {};
  const Selection alone = select_by_folds(gram, labels, 5, options);
  EXPECT_EQ(alone.tied(), 2U);
  EXPECT_THAT(alone.warnings_of_best(labels, labeled),
              ElementsAre(HasSubstr("15 of 15 held-out samples have no evidence")));
}

}  // namespace
}  // namespace stkr::select_evidence_test
