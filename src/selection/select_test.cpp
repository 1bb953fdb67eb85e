#include "stkr/selection/select.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "selection/folds.hpp"
#include "selection_cases.hpp"
#include "small_problem.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/model/fit_model.hpp"

namespace stkr::select_test {
namespace {

using namespace cases;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The small graph as seen in one setting, as explicit matrices.
struct Reference {
  Reference(const char* kernel, Setting setting_)
      : split(small_split()),
        setting(setting_),
        normalization(std::string(kernel) == "symmetric" ? GraphNormalization::symmetric
                                                         : GraphNormalization::lazy_walk) {
    scored = split.val;
    scored.insert(scored.end(), split.test.begin(), split.test.end());
    std::vector<Index> visible;
    if (setting == Setting::transductive) {
      visible = reference::complement({}, kNodes);
    } else {
      visible = reference::complement(scored, kNodes);
    }
    const Matrix w = small_graph();
    const Matrix columns = reference::columns_of(w, visible);
    const Matrix seen = reference::rows_of(columns, visible);
    gram = graph_kernel(seen, normalization);
    cross = setting == Setting::inductive
                ? graph_cross(seen, reference::rows_of(columns, scored), normalization)
                : Matrix(0, gram.cols());
    const Labels labels = small_dataset().labels;
    const auto& code = std::get<ClassLabels>(labels).code;
    y = Matrix::Zero(static_cast<Index>(split.train.size()), 3);
    for (std::size_t k = 0; k < split.train.size(); ++k) {
      labeled.push_back(std::find(visible.begin(), visible.end(), split.train[k]) -
                        visible.begin());
      y(k, code[split.train[k]]) = 1.0;
    }
    for (const Index i : scored) truth.push_back(code[i]);
    y.colwise().sum().maxCoeff(&most_frequent);
  }

  reference::Dense dense() const {
    return reference::Dense(gram, normalization == GraphNormalization::lazy_walk ? 0.5 : 0.0);
  }

  // f at the scored samples.
  Matrix fit(const GridPoint& point, const Grid& grid, const reference::Dense& dense) const {
    if (point.family == Family::label_propagation) {
      const Matrix start = reference::spread(y, labeled, dense.size());
      Matrix propagated = start;
      for (int t = 0; t < point.iterations; ++t) {
        propagated =
            point.parameter / static_cast<double>(dense.size()) * (gram * propagated) + start;
      }
      return reference::rows_of(propagated, scored);
    }
    const Matrix k = reference::columns_of(
        exact_kernel(dense, cross, point.family, point.parameter, grid, labeled), labeled);
    return ridge(reference::rows_of(k, labeled),
                 setting == Setting::inductive ? Matrix(k.bottomRows(cross.rows()))
                                               : reference::rows_of(k, scored),
                 y, point.beta);
  }

  FourWaySplit split;
  Setting setting;
  GraphNormalization normalization;
  std::vector<Index> scored, labeled;
  std::vector<std::int32_t> truth;
  Matrix gram, cross, y;
  Index most_frequent = 0;
};

// The accuracy of f on rows [first, first + count), as an interval: if two classes are equal, or f
// is too small to distinguish from rounding, any prediction is accepted.
struct Interval {
  double least = 0.0, most = 0.0;
  int ties = 0;
};

Interval accuracy(const Matrix& f, const Reference& reference, Index first, Index count,
                  NoEvidence no_evidence) {
  Interval result;
  const double scale = f.cwiseAbs().maxCoeff();
  for (Index i = first; i < first + count; ++i) {
    const double size = f.row(i).cwiseAbs().maxCoeff();
    Index answer = 0;
    const double best = f.row(i).maxCoeff(&answer);
    bool tie = size > 1e-13 * scale && size < 1e-7 * scale;
    if (size <= 1e-13 * scale) {
      answer = no_evidence == NoEvidence::prior ? reference.most_frequent : 0;
    } else {
      for (Index c = 0; c < 3; ++c) tie = tie || (c != answer && best - f(i, c) < 1e-6 * size);
    }
    const bool right = answer == reference.truth[i];
    result.least += right && !tie;
    result.most += right || tie;
    result.ties += tie;
  }
  result.least /= static_cast<double>(count);
  result.most /= static_cast<double>(count);
  return result;
}

class SelectBySplit : public testing::TestWithParam<std::tuple<const char*, Setting, NoEvidence>> {
};

std::string name_of(
    const testing::TestParamInfo<std::tuple<const char*, Setting, NoEvidence>>& info) {
  const auto& [kernel, setting, no_evidence] = info.param;
  return std::string(kernel[0] == 's' ? "symmetric" : "lazy") + "_" + to_string(setting) +
         (no_evidence == NoEvidence::prior ? "_prior" : "_first");
}

INSTANTIATE_TEST_SUITE_P(
    Settings, SelectBySplit,
    testing::Combine(testing::Values("symmetric", "lazy-walk"),
                     testing::Values(Setting::transductive, Setting::inductive),
                     testing::Values(NoEvidence::prior, NoEvidence::first_class)),
    name_of);

TEST_P(SelectBySplit, ScoresEveryPointAsIfFittedByItself) {
  const auto& [kernel, setting, no_evidence] = GetParam();
  const Reference exact(kernel, setting);
  const reference::Dense dense = exact.dense();
  SelectOptions options =
      exact_options(small_grid({widest_pca_gap(exact.gram, exact.labeled, 3, 8)}));
  options.no_evidence = no_evidence;
  options.literal_top_d = true;  // as in the reference
  const Selection selection =
      select_by_split(small_dataset(), with_kernel(kernel), exact.split, setting, options);
  EXPECT_EQ(selection.score, Score::accuracy);
  EXPECT_EQ(selection.kernels[0].largest_eigenvalue, 1.0);
  EXPECT_THAT(selection.warnings, IsEmpty());
  std::vector<GridPoint> expected = grid_points(options.grid);
  if (setting == Setting::inductive) {
    std::erase_if(expected, [](const GridPoint& p) { return !has_ridge(p.family); });
  }
  ASSERT_EQ(selection.scores.size(), expected.size());
  int ties = 0;
  bool unreached = false;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const GridScore& score = selection.scores[k];
    ASSERT_EQ(score.point, expected[k]);
    SCOPED_TRACE(describe(score.point, options.grid) + " beta " + std::to_string(score.point.beta) +
                 " T " + std::to_string(score.point.iterations));
    const Matrix f = exact.fit(score.point, options.grid, dense);
    const Interval val = accuracy(f, exact, 0, 24, no_evidence);
    EXPECT_GE(score.validation, val.least - 1e-12);
    EXPECT_LE(score.validation, val.most + 1e-12);
    const Interval test = accuracy(f, exact, 24, 40, no_evidence);
    ASSERT_TRUE(score.test.has_value());
    EXPECT_GE(*score.test, test.least - 1e-12);
    EXPECT_LE(*score.test, test.most + 1e-12);
    ties += val.ties + test.ties;
    unreached = unreached || score.test_no_evidence > 0;
  }
  EXPECT_LT(ties, static_cast<int>(expected.size()));  // of 64 samples each
  EXPECT_TRUE(unreached);
}

// Points with a regression target, so that a difference in the last bit shows in the score.
Dataset spiral() {
  Dataset dataset = swiss_roll(120, 0.1, 73);
  dataset.truth = dataset.labels;
  return dataset;
}

TEST(Select, GivesTheSameBitsForAnyNumberOfThreads) {
  const Grid grid = small_grid({2, 5});
  const auto run = [&](int threads) {
    const Context context{.threads = threads};
    const SelectOptions options = exact_options(grid);
    const Specification points, graph = with_kernel("symmetric");
    std::vector<Selection> all;
    const Dataset roll = spiral(), nodes = small_dataset();
    for (const Setting setting : {Setting::transductive, Setting::inductive}) {
      all.push_back(select_by_split(roll, points, fifths(120), setting, options, context));
      all.push_back(select_by_split(nodes, graph, small_split(), setting, options, context));
    }
    Dataset copy = roll;
    keep_only(copy.labels, fifths(120).train);
    const Labels labels = copy.labels;
    const PreparedGram prepared = prepare_gram(copy, points, {}, context);
    all.push_back(select_by_folds(*prepared.gram, labels, 5, options, context));
    all.push_back(select_by_leave_one_out(*prepared.gram, labels, options, context));
    return all;
  };
  const std::vector<Selection> one = run(1);
  for (const int threads : {2, 3}) {
    const std::vector<Selection> several = run(threads);
    for (std::size_t k = 0; k < one.size(); ++k) {
      SCOPED_TRACE(std::to_string(threads) + " threads, case " + std::to_string(k));
      expect_identical(one[k], several[k]);
    }
  }
}

TEST(Select, ScoresNumbersAsIfFittedOneByOne) {
  const Dataset roll = spiral();
  const FourWaySplit split = fifths(120);
  Specification spec;
  spec.kernel = Kernel::rbf(3.0);
  const Matrix gram = normalized(kernel_matrix(roll.points().values.matrix(), rbf(3.0)));
  const reference::Dense dense(gram);
  Grid grid = small_grid({});
  grid.etas = {0.7, 0.99};
  grid.betas = {1.0, 1e-2, 1e-4};
  grid.propagation_etas = {};
  for (const bool intercept : {true, false}) {
    spec.decision.intercept = intercept;
    for (const Score score : {Score::r2, Score::mse}) {
      SelectOptions options = exact_options(grid);
      options.score = score;
      const Selection selection =
          select_by_split(roll, spec, split, Setting::transductive, options);
      ASSERT_EQ(selection.scores.size(), grid_points(grid).size());
      const Matrix& t = std::get<TargetValues>(roll.labels).values;
      const Matrix train = reference::rows_of(t, split.train),
                   val = reference::rows_of(t, split.val);
      for (const GridScore& found : selection.scores) {
        const Matrix k =
            reference::columns_of(exact_kernel(dense, Matrix(0, 120), found.point.family,
                                               found.point.parameter, grid, split.train),
                                  split.train);
        const Matrix labeled = reference::rows_of(k, split.train);
        const double constant =
            intercept ? free_constant(labeled, train, found.point.beta)[0] : 0.0;
        const Matrix f = ridge(labeled, reference::rows_of(k, split.val), train.array() - constant,
                               found.point.beta);
        const double error = (f.array() + constant - val.array()).square().mean();
        EXPECT_NEAR(found.loss, error, 1e-6 * std::max(1.0, error));
        const double spread = (val.array() - val.mean()).square().mean();
        EXPECT_NEAR(found.validation, score == Score::mse ? error : 1.0 - error / spread,
                    1e-6 * std::max(1.0, std::abs(found.validation)))
            << describe(found.point, grid) << " beta " << found.point.beta;
      }
    }
  }
}

TEST(Select, ByFoldsScoresTheAnswersOfAllFoldsTogether) {
  // held_out_test compares the predictions with refits; this test checks how they are combined.
  const Dataset dataset = small_dataset();
  Dataset copy = dataset;
  const FourWaySplit split = small_split();
  keep_only(copy.labels, split.train);
  const Labels labels = copy.labels;
  const auto gram = prepare_gram(copy, with_kernel("lazy-walk")).gram;
  const Matrix kernel = graph_kernel(small_graph(), GraphNormalization::lazy_walk);
  const reference::Dense dense(kernel, 0.5);
  Grid grid = small_grid({widest_pca_gap(kernel, split.train, 3, 8)});
  SelectOptions options = exact_options(grid);
  options.literal_top_d = true;
  const std::vector<Index> labeled = labeled_indices(labels);
  const auto& code = std::get<ClassLabels>(labels).code;
  std::vector<std::vector<Index>> singles;
  for (Index k = 0; k < 18; ++k) singles.push_back({k});
  for (const bool leave_one_out : {true, false}) {
    const Selection selection = leave_one_out ? select_by_leave_one_out(*gram, labels, options)
                                              : select_by_folds(*gram, labels, 4, options);
    const auto folds = leave_one_out ? singles : labeled_folds(labels, 4, Context{}.seed);
    ASSERT_EQ(selection.scores.size(), grid_points(grid).size());
    for (const GridScore& score : selection.scores) {
      EXPECT_FALSE(score.test.has_value());
      double least = 0.0, most = 0.0;
      for (const auto& fold : folds) {
        const std::vector<Index> others = reference::complement(fold, 18);
        Matrix y = Matrix::Zero(static_cast<Index>(others.size()), 3);
        for (std::size_t k = 0; k < others.size(); ++k) y(k, code[labeled[others[k]]]) = 1.0;
        const std::vector<Index> train = [&] {
          std::vector<Index> samples;
          for (const Index k : others) samples.push_back(labeled[k]);
          return samples;
        }();
        Matrix f;
        if (score.point.family == Family::label_propagation) {
          const Matrix start = reference::spread(y, train, kNodes);
          f = start;
          for (int t = 0; t < score.point.iterations; ++t) {
            f = score.point.parameter / kNodes * (kernel * f) + start;
          }
        } else {
          const Matrix k =
              reference::columns_of(exact_kernel(dense, Matrix(0, kNodes), score.point.family,
                                                 score.point.parameter, grid, labeled),
                                    train);
          f = ridge(reference::rows_of(k, train), k, y, score.point.beta);
        }
        for (const Index k : fold) {
          const auto row = f.row(labeled[k]);
          Index answer = 0;
          const double best = row.maxCoeff(&answer), size = row.cwiseAbs().maxCoeff();
          const double scale = f.cwiseAbs().maxCoeff();
          bool tie = size > 1e-13 * scale && size < 1e-7 * scale;
          if (size <= 1e-13 * scale) {
            y.colwise().sum().maxCoeff(&answer);  // no evidence: the prior of the others
          } else {
            for (Index c = 0; c < 3; ++c) tie = tie || (c != answer && best - row[c] < 1e-6 * size);
          }
          const bool right = answer == code[labeled[k]];
          least += (right && !tie) / 18.0;
          most += (right || tie) / 18.0;
        }
      }
      EXPECT_GE(score.validation, least - 1e-12) << describe(score.point, grid);
      EXPECT_LE(score.validation, most + 1e-12) << describe(score.point, grid);
      EXPECT_LT(most - least, 0.3);
    }
  }
}

}  // namespace
}  // namespace stkr::select_test
