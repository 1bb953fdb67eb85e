#include "held_out.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "estimator/evidence.hpp"
#include "estimator/kernel_pca.hpp"
#include "estimator/label_propagation.hpp"
#include "selection/folds.hpp"
#include "selection_cases.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/stkr.hpp"

namespace stkr::held_out_test {
namespace {

using namespace cases;
using reference::relative_error;

const std::vector<double> kBetas{1e2, 1e-1, 1e-3, 1e-6};

std::vector<GridRidge> ridges(const std::vector<double>& betas) {
  std::vector<GridRidge> result;
  for (const double beta : betas) result.push_back({0.0, beta});
  return result;
}

TransformedBlock block_of(const Matrix& labeled, const Matrix& unlabeled = Matrix(),
                          bool exact_zeros = false) {
  TransformedBlock block;
  block.labeled = labeled;
  block.exact_zeros = exact_zeros;
  block.scored = unlabeled.size() > 0 ? unlabeled : Matrix(0, labeled.cols());
  return block;
}

// By the floor, for tests without a gram.
std::vector<char> above_floor(const Matrix& f, const std::vector<Index>& labeled) {
  const double floor = evidence_floor(reference::rows_of(f, labeled));
  std::vector<char> result;
  for (Index i = 0; i < f.rows(); ++i) result.push_back(f.row(i).cwiseAbs().maxCoeff() > floor);
  return result;
}

// Ten labeled samples of 24; one of them (22) has no edge in the graphs.
const std::vector<Index> kLabeled{0, 2, 5, 8, 11, 14, 16, 17, 20, 22};

Labels classes() {
  ClassLabels labels{{"a", "b", "c"}, std::vector<std::int32_t>(kSamples, kUnlabeled)};
  const std::int32_t codes[] = {0, 1, 2, 0, 1, 2, 0, 0, 1, 2};
  for (std::size_t k = 0; k < kLabeled.size(); ++k) labels.code[kLabeled[k]] = codes[k];
  return labels;
}

Labels numbers() {
  Matrix values = Matrix::Constant(kSamples, 2, std::numeric_limits<double>::quiet_NaN());
  const Matrix given = random_matrix(10, 2, 51);
  for (std::size_t k = 0; k < kLabeled.size(); ++k) {
    values.row(kLabeled[k]) = given.row(k).array() + 7.0;
  }
  return TargetValues{{"s", "t"}, values};
}

Labels without(Labels labels, const std::vector<Index>& fold) {
  std::vector<Index> kept;
  for (const Index k : reference::complement(fold, 10)) kept.push_back(kLabeled[k]);
  keep_only(labels, kept);
  return labels;
}

// A block of a reference kernel with rounding errors set to 0, as in the library's blocks.
Matrix cleaned(const Matrix& block) {
  const double rounding = 1e-12 * block.cwiseAbs().maxCoeff();
  return (block.array().abs() > rounding).select(block, Matrix::Zero(block.rows(), block.cols()));
}

// Predicts the samples of each fold by `fit`, which sees the labels of the others: a Fit with f at
// the N samples, its constant and its evidence.
template <class FitOthers>
Predictions one_by_one(const Labels& labels, const std::vector<std::vector<Index>>& folds,
                       FitOthers&& fit) {
  Predictions result;
  result.scores.resize(10, std::holds_alternative<ClassLabels>(labels) ? 3 : 2);
  result.evidence.resize(10);
  for (const std::vector<Index>& fold : folds) {
    const EncodedTargets targets = encode_targets(without(labels, fold));
    const Fit made = fit(targets);
    const Predictions all = decide(with_constant(targets.decision, made.constant), made.fitted,
                                   made.evidence.of_known(0, made.fitted));
    for (const Index k : fold) {
      result.scores.row(k) = all.scores.row(kLabeled[k]);
      result.evidence[k] = all.evidence[kLabeled[k]];
      if (!all.class_index.empty()) {
        result.class_index.resize(10);
        result.class_index[k] = all.class_index[kLabeled[k]];
      }
    }
  }
  return result;
}

void expect_same(const Predictions& found, const Predictions& expected) {
  EXPECT_LT(relative_error(found.scores, expected.scores), 1e-7);
  EXPECT_EQ(found.evidence, expected.evidence);
  ASSERT_EQ(found.class_index.size(), expected.class_index.size());
  // Rounding decides between classes whose scores are equal, as by symmetry of a graph.
  const double tie = 1e-9 * expected.scores.cwiseAbs().maxCoeff();
  for (std::size_t k = 0; k < found.class_index.size(); ++k) {
    const auto row = expected.scores.row(static_cast<Index>(k));
    EXPECT_NEAR(row[found.class_index[k]], row[expected.class_index[k]], tie) << k;
  }
}

std::vector<std::vector<Index>> singles() {
  std::vector<std::vector<Index>> folds;
  for (Index k = 0; k < 10; ++k) folds.push_back({k});
  return folds;
}

class HeldOutOfEveryGram : public testing::TestWithParam<GramCase> {};

std::vector<GramCase> some_grams() {
  std::vector<GramCase> chosen;
  for (GramCase& gram : gram_cases()) {
    if (gram.name == "graph_symmetric" || gram.name == "graph_lazy_walk" ||
        gram.name == "normalized_points" || gram.name == "dense_indefinite") {
      chosen.push_back(std::move(gram));
    }
  }
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(Grams, HeldOutOfEveryGram, testing::ValuesIn(some_grams()), CaseName());

TEST_P(HeldOutOfEveryGram, RidgeAgreesWithRefitsThroughStkr) {
  const auto gram = GetParam().make(1);
  const reference::Dense dense = GetParam().dense();
  for (const Labels& labels : {classes(), numbers()}) {
    const auto folds = labeled_folds(labels, 3, 7);
    std::vector<TransformCase> transforms{power_case(1), power_case(2),
                                          inverse_laplacian_case(0.99 / dense.largest())};
    if (const KnownEigenspace* top = gram->known_eigenspace();
        top && top->dimension() == 1 && top->eigenvalue() > 0.0) {
      transforms.push_back(poisson_case(1.0, dense.largest()));
    }
    for (const TransformCase& t : transforms) {
      TransformedBlock block =
          block_of(cleaned(reference::rows_of(
                       reference::columns_of(dense.transformed(t.exact), kLabeled), kLabeled)),
                   Matrix(), gram->nonnegative());
      block.label_weights = dense.label_weights(t.exact, kLabeled);
      block.centers = t.exact.poisson;
      if (block.centers) block.family = Family::poisson;
      const auto three = HeldOut(labels, folds).ridge(block, ridges(kBetas));
      const auto each = HeldOut(labels).ridge(block, ridges(kBetas));
      for (std::size_t b = 0; b < kBetas.size(); ++b) {
        SCOPED_TRACE(t.name + " beta " + std::to_string(kBetas[b]));
        const auto fit = [&](const EncodedTargets& targets) {
          StkrOptions options;
          options.transform = t.transform;
          options.beta = kBetas[b];
          options.solver = StkrSolver::diagonalize;
          options.tolerance = 1e-13;  // node 22 has no edge: its α is 1/nβ times its label
          options.constant = targets.constant;
          return fit_stkr(*gram, targets.labeled, targets.y, options);
        };
        expect_same(three[b].plain, one_by_one(labels, folds, fit));
        expect_same(each[b].plain, one_by_one(labels, singles(), fit));
      }
    }
  }
}

TEST_P(HeldOutOfEveryGram, LinearAgreesWithRefitsOfLabelPropagation) {
  const auto gram = GetParam().make(1);
  const reference::Dense dense = GetParam().dense();
  const double eta = 0.9 / dense.largest();
  Matrix p = reference::spread(Matrix::Identity(10, 10), kLabeled, kSamples);
  const Matrix e = p;
  for (int t = 0; t < 6; ++t) p = eta / kSamples * (dense.kernel() * p) + e;
  p = reference::rows_of(p, kLabeled);
  for (const Labels& labels : {classes(), numbers()}) {
    const auto folds = labeled_folds(labels, 4, 8);
    const auto fit = [&](const EncodedTargets& targets) {
      LabelPropagationOptions options;
      options.eta = eta;
      options.iterations = 6;
      return fit_label_propagation(*gram, targets.labeled, targets.y, options);
    };
    const bool exact_zeros = gram->nonnegative();
    expect_same(HeldOut(labels, folds).linear(p, exact_zeros).plain,
                one_by_one(labels, folds, fit));
    expect_same(HeldOut(labels).linear(p, exact_zeros).plain, one_by_one(labels, singles(), fit));
  }
}

TEST_P(HeldOutOfEveryGram, KernelPcaLearnsFromTheSamplesUnlabeledFromTheStart) {
  const reference::Dense dense = GetParam().dense();
  const Index d = widest_pca_gap(dense.kernel(), kLabeled, 2, 5);
  const Matrix full = exact_kernel(dense, Matrix(0, kSamples), Family::top_d,
                                   static_cast<double>(d), Grid{}, kLabeled);
  const Matrix block = reference::rows_of(reference::columns_of(full, kLabeled), kLabeled);
  for (const Labels& labels : {classes(), numbers()}) {
    const auto folds = labeled_folds(labels, 3, 9);
    const auto found = HeldOut(labels, folds).ridge(block_of(block), ridges({0.01}));
    const auto fit = [&](const EncodedTargets& targets) {
      const Matrix columns = reference::columns_of(full, targets.labeled);
      const Matrix labeled = reference::rows_of(columns, targets.labeled);
      Fit made;
      Matrix y = targets.y;
      if (targets.constant) {
        made.constant = free_constant(labeled, targets.y, 0.01);
        y.rowwise() -= made.constant.transpose();
      }
      made.fitted = ridge(labeled, columns, y, 0.01);
      made.evidence.floor = evidence_floor(reference::rows_of(made.fitted, targets.labeled));
      return made;
    };
    expect_same(found[0].plain, one_by_one(labels, folds, fit));
  }
}

TEST(HeldOut, NumbersThatAreTheirConstantHaveEvidence) {
  // The middle one of three, halfway between the others: f = 0 up to rounding.
  const Matrix kernel = (Matrix(3, 3) << 1.0, 0.5, 0.0, 0.5, 1.0, 0.5, 0.0, 0.5, 1.0).finished();
  const Labels labels = TargetValues{{"y"}, (Matrix(3, 1) << 3.0, 3.5, 4.0).finished()};
  const TransformedBlock block = block_of(kernel, Matrix(), /*exact_zeros=*/true);
  const std::vector<std::vector<Index>> folds{{0}, {1}, {2}};
  const DecisionOptions options{.intercept = true};
  for (const HeldOut& held_out : {HeldOut(labels, options), HeldOut(labels, folds, options)}) {
    const Predictions made = held_out.ridge(block, ridges({0.1}))[0].plain;
    EXPECT_EQ(made.evidence, (std::vector<char>{1, 1, 1}));
    EXPECT_NEAR(made.scores(1, 0), 3.5, 1e-12);
  }
}

// Each fold's factors come from its own scores of the unlabeled samples and its own prior.
TEST_P(HeldOutOfEveryGram, ClassMassAgreesWithRefitsThatNormalize) {
  const auto gram = GetParam().make(1);
  const reference::Dense dense = GetParam().dense();
  const Labels labels = classes();
  const auto folds = labeled_folds(labels, 3, 7);
  const TransformCase t = power_case(2);
  const Matrix columns = reference::columns_of(dense.transformed(t.exact), kLabeled);
  const std::vector<Index> unlabeled = reference::complement(kLabeled, kSamples);
  DecisionOptions options;
  options.class_mass = true;
  const HeldOut held_out(labels, folds, options);
  const auto answers = held_out.ridge(
      block_of(reference::rows_of(columns, kLabeled), reference::rows_of(columns, unlabeled)),
      ridges({0.01}));
  ASSERT_TRUE(answers[0].class_mass.has_value());
  Predictions expected;
  expected.class_index.resize(10);
  for (const std::vector<Index>& fold : folds) {
    const EncodedTargets targets = encode_targets(without(labels, fold), options);
    StkrOptions stkr;
    stkr.transform = t.transform;
    stkr.beta = 0.01;
    stkr.solver = StkrSolver::diagonalize;
    stkr.tolerance = 1e-13;
    const Matrix f = fit_stkr(*gram, targets.labeled, targets.y, stkr).fitted;
    const Matrix rest = reference::rows_of(f, unlabeled);
    const std::vector<char> evidence = above_floor(f, targets.labeled);
    std::vector<char> heard;
    for (const Index i : unlabeled) heard.push_back(evidence[i]);
    const Decision decision = with_class_mass(targets.decision, rest, heard);
    const Predictions all = decide(decision, f, evidence);
    for (const Index k : fold) expected.class_index[k] = all.class_index[kLabeled[k]];
  }
  EXPECT_EQ(answers[0].class_mass->class_index, expected.class_index);
}

TEST(HeldOut, LeavingOneOutTakesTheFactorsOfTheFitToAllLabels) {
  const Labels labels = ClassLabels{{"a", "b"}, {0, 0, 0, 1}};
  DecisionOptions options;
  options.class_mass = true;
  options.uniform_prior = true;
  // Samples of b score 0.4 for b and 0.6 for a: only the factors correct them.
  Matrix p(6, 4);
  p << 0, .5, .4, .1, .5, 0, .4, .1, .5, .4, 0, .1, .2, .2, .2, 0,  // labeled
      .2, .2, .2, .5, .3, .3, .3, .1;
  const HeldOut::Answers answers = HeldOut(labels, options).linear(p, true);
  EXPECT_EQ(answers.plain.class_index, (std::vector<Index>{0, 0, 0, 0}));
  ASSERT_TRUE(answers.class_mass.has_value());
  const double ratio = answers.class_mass->scores(0, 1) / answers.plain.scores(0, 1);
  EXPECT_GT(ratio, 1.0);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(answers.class_mass->scores(i, 1), ratio * answers.plain.scores(i, 1), 1e-12);
  }
}

TEST(HeldOut, AnswersThePriorOfTheOthersWithoutEvidence) {
  // Two samples of b, one of a, without any kernel entries between them.
  const Labels labels = ClassLabels{{"a", "b"}, {0, 1, 1, 0}};
  const std::vector<std::vector<Index>> folds{{0}, {1}, {2}, {3}};
  for (const Predictions& p :
       {HeldOut(labels).ridge(block_of(Matrix::Zero(4, 4)), ridges({1.0}))[0].plain,
        HeldOut(labels, folds).ridge(block_of(Matrix::Zero(4, 4)), ridges({1.0}))[0].plain,
        HeldOut(labels).linear(Matrix::Identity(4, 4), true).plain}) {
    EXPECT_EQ(p.evidence, (std::vector<char>{0, 0, 0, 0}));
    // Among the others, the other class is always the more frequent one.
    EXPECT_EQ(p.class_index, (std::vector<Index>{1, 0, 0, 1}));
  }
}

TEST(HeldOut, AnswersTheMeanOfTheOthersWithoutEvidence) {
  Matrix values(3, 1);
  values << 1.0, 2.0, 6.0;
  const Labels labels = TargetValues{{"t"}, values};
  const Predictions p = HeldOut(labels).ridge(block_of(Matrix::Zero(3, 3)), ridges({1.0}))[0].plain;
  EXPECT_LT((p.scores - Vector{{4.0, 3.5, 1.5}}).norm(), 1e-12);
  EXPECT_EQ(p.evidence, (std::vector<char>{0, 0, 0}));
}

TEST(HeldOut, NeedsTwoLabeledSamples) {
  const Labels one = TargetValues{{"t"}, Matrix::Ones(1, 1)};
  EXPECT_THROW(HeldOut{one}, ValueError);
  EXPECT_THROW(HeldOut{Labels{}}, ValueError);
}

}  // namespace
}  // namespace stkr::held_out_test
