#include "selection/split_problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "selection_cases.hpp"
#include "stkr/error.hpp"

namespace stkr::split_problem_test {
namespace {

using namespace cases;
using reference::relative_error;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The awkward graph with three classes, every node labeled.
Dataset awkward_dataset() {
  Dataset dataset;
  dataset.samples = Graph{to_csr(awkward_graph()), {}};
  ClassLabels labels{{"a", "b", "c"}, std::vector<std::int32_t>(44, 0)};
  for (Index i = 0; i < 44; ++i) labels.code[i] = i < 10 ? 0 : i < 20 ? 1 : i % 3;
  dataset.labels = dataset.truth = labels;
  return dataset;
}

FourWaySplit awkward_split() {
  FourWaySplit split;
  split.train = {3, 15, 36, 21, 7};
  split.val = {43, 1, 30};
  split.test = {16, 22, 33, 31};
  std::vector<Index> taken = split.train;
  taken.insert(taken.end(), split.val.begin(), split.val.end());
  taken.insert(taken.end(), split.test.begin(), split.test.end());
  split.other = reference::complement(taken, 44);
  return split;
}

Specification symmetric() {
  Specification spec;
  spec.kernel = GraphKernelSpec{GraphNormalization::symmetric};
  return spec;
}

TEST(SplitProblem, SeesAllSamplesInTheTransductiveSetting) {
  const SplitProblem problem(awkward_dataset(), symmetric(), {}, awkward_split(),
                             Setting::transductive);
  EXPECT_EQ(problem.gram().size(), 44);
  EXPECT_THAT(problem.targets().labeled, ElementsAre(3, 7, 15, 21, 36));
  EXPECT_FALSE(problem.rows().inductive());
  EXPECT_EQ(problem.rows().scored(), 7);
  const Matrix x = random_matrix(44, 2, 61);
  const Matrix k = graph_kernel(awkward_graph(), GraphNormalization::symmetric);
  const Matrix rows = problem.rows().apply(x, product(problem.gram(), x));
  EXPECT_LT(
      relative_error(rows.bottomRows(7), reference::rows_of(k * x, {43, 1, 30, 16, 22, 33, 31})),
      1e-12);
}

TEST(SplitProblem, SeesOnlyTrainAndOtherInTheInductiveSetting) {
  const FourWaySplit split = awkward_split();
  const SplitProblem problem(awkward_dataset(), symmetric(), {}, split, Setting::inductive);
  std::vector<Index> visible = split.train;
  visible.insert(visible.end(), split.other.begin(), split.other.end());
  std::sort(visible.begin(), visible.end());
  ASSERT_EQ(problem.gram().size(), 37);
  ASSERT_EQ(problem.targets().labeled.size(), 5u);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(visible[problem.targets().labeled[k]], (std::vector<Index>{3, 7, 15, 21, 36}[k]));
  }
  const Matrix w = awkward_graph();
  const Matrix seen = reference::rows_of(reference::columns_of(w, visible), visible);
  const Matrix edges =
      reference::rows_of(reference::columns_of(w, visible), {43, 1, 30, 16, 22, 33, 31});
  const Matrix x = random_matrix(37, 2, 62);
  const Matrix s_x = product(problem.gram(), x);
  EXPECT_LT(relative_error(s_x, graph_kernel(seen, GraphNormalization::symmetric) * x / 37.0),
            1e-12);
  EXPECT_LT(relative_error(problem.rows().apply(x, s_x).bottomRows(7),
                           graph_cross(seen, edges, GraphNormalization::symmetric) * x),
            1e-12);
}

TEST(SplitProblem, PlacesNewPointsAndRowsOfAKernel) {
  const Matrix points = random_matrix(12, 2, 63);
  Dataset dataset;
  dataset.samples = Points{points, {}};
  dataset.labels = TargetValues{{"t"}, random_matrix(12, 1, 64)};
  Specification spec;
  spec.kernel = AutomaticKernelSpec{.length_scale = LengthScale::absolute(0.8), .normalize = false};
  const FourWaySplit split{
      .train = {4, 1}, .val = {0, 7}, .test = {5}, .other = {2, 3, 6, 8, 9, 10, 11}};
  const Matrix k = kernel_matrix(points, rbf(0.8));
  const std::vector<Index> visible{1, 2, 3, 4, 6, 8, 9, 10, 11};
  const Matrix cross = reference::rows_of(reference::columns_of(k, visible), {0, 7, 5});
  const Matrix x = random_matrix(9, 2, 65);
  const SplitProblem of_points(dataset, spec, {}, split, Setting::inductive);
  EXPECT_LT(relative_error(of_points.rows().apply(x, product(of_points.gram(), x)).bottomRows(3),
                           cross * x),
            1e-12);
  dataset.samples = PrecomputedKernel{k};
  spec.kernel = AutomaticKernelSpec{.normalize = false};
  const SplitProblem of_kernel(dataset, spec, {}, split, Setting::inductive);
  EXPECT_LT(relative_error(of_kernel.rows().apply(x, product(of_kernel.gram(), x)).bottomRows(3),
                           cross * x),
            1e-12);
}

TEST(SplitProblem, AnswersThePriorOrTheFirstClassWithoutEvidence) {
  // b is the most frequent class of train; samples 30 (a), 31 (b) and 33 (a) have f = 0.
  FourWaySplit split = awkward_split();
  split.train = {15, 12, 18, 21, 7};
  split.other.insert(split.other.end(), {3, 36});
  std::erase_if(split.other, [](Index i) { return i == 12 || i == 18; });
  const SplitProblem problem(awkward_dataset(), symmetric(), {}, split, Setting::transductive);
  // val 43 (b), 1 (a), 30 (a); test 16 (b), 22 (b), 33 (a), 31 (b)
  Matrix f = Matrix::Zero(7, 3);
  f(0, 1) = 1.0;
  f(1, 0) = 0.5;
  f(3, 2) = 1.0;
  f(4, 1) = 1.0;
  f(6, 1) = 1e-14;  // rounding: no label reaches it
  const SplitProblem::Scores scores{f, {1, 1, 0, 1, 1, 0, 0}};
  const GridPoint point{Family::power, 2, 0.1};
  const GridScore prior =
      problem.score(point, scores, Score::accuracy, {.no_evidence = NoEvidence::prior});
  EXPECT_EQ(prior.point, point);
  EXPECT_DOUBLE_EQ(prior.validation, 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(prior.test.value(), 2.0 / 4.0);
  EXPECT_EQ(prior.validation_no_evidence, 1);
  EXPECT_EQ(prior.test_no_evidence, 2);
  const GridScore first =
      problem.score(point, scores, Score::accuracy, {.no_evidence = NoEvidence::first_class});
  EXPECT_DOUBLE_EQ(first.validation, 3.0 / 3.0);
  EXPECT_DOUBLE_EQ(first.test.value(), 2.0 / 4.0);
}

TEST(SplitProblem, FindsEvidenceByReachHoweverSmallFIs) {
  // If K ≥ 0, an entry of the block is 0 if and only if the label does not reach the sample.
  const SplitProblem problem(awkward_dataset(), symmetric(), {}, awkward_split(),
                             Setting::transductive);
  TransformedBlock block;
  block.labeled = Matrix::Identity(5, 5);
  block.scored = Matrix::Zero(7, 5);
  block.scored.col(2) << 1.0, 1e-12, 1e-200, 0.0, 1e-9, 0.0, 0.5;
  const RidgePath path(block.labeled, block.scored, problem.targets().y);
  block.exact_zeros = true;
  EXPECT_THAT(problem.scores(block, path, 0.1).evidence, ElementsAre(1, 1, 1, 0, 1, 0, 1));
  // Otherwise it must exceed the rounding error of f at the labels.
  block.exact_zeros = false;
  EXPECT_THAT(problem.scores(block, path, 0.1).evidence, ElementsAre(1, 0, 0, 0, 1, 0, 1));
  const SplitProblem::Scores scores = problem.scores(block, path, 0.1);
  EXPECT_EQ(scores.beta, 0.1);
  EXPECT_LT(relative_error(scores.f, block.scored * problem.targets().y / 1.5), 1e-12);
}

TEST(SplitProblem, HasNoTestScoreWithoutATestSet) {
  FourWaySplit split = awkward_split();
  split.other.insert(split.other.end(), split.test.begin(), split.test.end());
  split.test.clear();
  const SplitProblem problem(awkward_dataset(), symmetric(), {}, split, Setting::inductive);
  EXPECT_EQ(problem.rows().scored(), 3);
  const GridScore score = problem.score({}, {Matrix::Identity(3, 3), {1, 1, 1}}, Score::accuracy,
                                        {.no_evidence = NoEvidence::prior});
  EXPECT_FALSE(score.test.has_value());
}

TEST(SplitProblem, RejectsTrainingSamplesWithoutALabelOrOfOneClass) {
  Dataset dataset = awkward_dataset();
  std::get<ClassLabels>(dataset.labels).code[3] = kUnlabeled;
  EXPECT_THROW(SplitProblem(dataset, symmetric(), {}, awkward_split(), Setting::transductive),
               ValueError);
  FourWaySplit split = awkward_split();
  split.other.insert(split.other.end(), {15, 36, 21});
  split.train = {3, 7};
  EXPECT_THROW(SplitProblem(awkward_dataset(), symmetric(), {}, split, Setting::inductive),
               ValueError);
}

TEST(MissingClasses, AreNamed) {
  const Labels labels = ClassLabels{{"a", "b", "c"}, {0, 1, 2, kUnlabeled}};
  EXPECT_THAT(missing_classes(labels, std::vector<Index>{1, 3}), ElementsAre("a", "c"));
  EXPECT_THAT(missing_classes(labels, std::vector<Index>{0, 1, 2}), IsEmpty());
  EXPECT_THAT(missing_classes(TargetValues{{"t"}, Matrix::Ones(2, 1)}, std::vector<Index>{0}),
              IsEmpty());
}

}  // namespace
}  // namespace stkr::split_problem_test
