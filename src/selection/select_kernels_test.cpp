#include "selection/select_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "runtime/random.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/model/fit_model.hpp"
#include "temporary_folder.hpp"

namespace stkr::select_kernels_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using ::testing::SizeIs;

constexpr Index kNodes = 96;

// Communities separate classes {0, 1} from {2, 3}, features {0, 2} from {1, 3}.
Dataset attributed() {
  return attributed_block_model(std::vector<Index>{24, 24, 24, 24}, 0.3, 0.02, 3, 0.3, 7);
}

Dataset few_labels() {
  Dataset dataset = attributed();
  keep_only(dataset.labels, labeled_per_class(std::get<ClassLabels>(dataset.labels), 5, 2));
  return dataset;
}

FourWaySplit quarters() {
  FourWaySplit split;
  std::vector<Index> order(kNodes);
  for (Index i = 0; i < kNodes; ++i) order[i] = i;
  Random(3).shuffle(order);
  split.train.assign(order.begin(), order.begin() + 20);
  split.val.assign(order.begin() + 20, order.begin() + 44);
  split.test.assign(order.begin() + 44, order.begin() + 70);
  split.other.assign(order.begin() + 70, order.end());
  return split;
}

SelectOptions small_options() {
  SelectOptions options;
  options.grid.powers = {1, 2};
  options.grid.etas = {0.9, 0.999};
  options.grid.dimensions = {4};
  options.grid.betas = {1.0, 1e-3};
  options.grid.propagation_etas = {0.9};
  options.grid.propagation_steps = {4};
  return options;
}

std::vector<KernelCandidate> mixes(const KernelGrid& grid = {.mixes = {0.0, 0.5, 1.0}}) {
  return kernel_candidates(grid, {}, DatasetKind::graph);
}

// The scores of each candidate equal those of selecting with it alone.
void expect_joined(const Selection& all, const std::vector<Selection>& alone) {
  std::size_t at = 0;
  ASSERT_EQ(all.kernels.size(), alone.size());
  for (std::size_t k = 0; k < alone.size(); ++k) {
    EXPECT_EQ(all.kernels[k].largest_eigenvalue, alone[k].kernels[0].largest_eigenvalue);
    for (const GridScore& expected : alone[k].scores) {
      ASSERT_LT(at, all.scores.size());
      const GridScore& score = all.scores[at++];
      GridPoint point = expected.point;
      point.kernel = k;
      EXPECT_EQ(score.point, point);
      EXPECT_EQ(score.validation, expected.validation);
      EXPECT_EQ(score.test, expected.test);
      EXPECT_EQ(score.validation_no_evidence, expected.validation_no_evidence);
    }
  }
  EXPECT_EQ(at, all.scores.size());
  for (const FamilyCost& cost : all.costs) {
    long products = 0;
    for (const Selection& one : alone) {
      for (const FamilyCost& each : one.costs) {
        if (each.family == cost.family) products += each.products;
      }
    }
    EXPECT_EQ(cost.products, products) << to_string(cost.family);
  }
}

TEST(SelectKernels, ScoresEachKernelOfASplitAsIfAlone) {
  const Dataset dataset = attributed();
  const auto candidates =
      mixes({.length_scales = {LengthScale{1.0}, LengthScale{2.0}}, .mixes = {0.0, 0.5}});
  ASSERT_EQ(candidates.size(), 3u);
  std::vector<Selection> each;
  for (const Setting setting : {Setting::transductive, Setting::inductive}) {
    std::vector<Selection> alone;
    for (const KernelCandidate& candidate : candidates) {
      alone.push_back(
          select_by_split(dataset, candidate.spec, quarters(), setting, small_options()));
    }
    each.push_back(
        select_kernels_by_split(dataset, candidates, quarters(), setting, small_options()));
    expect_joined(each.back(), alone);
  }
  for (const int threads : {1, 2}) {
    const auto both = select_kernels_by_split(dataset, candidates, quarters(), small_options(),
                                              {.threads = threads});
    ASSERT_EQ(both.size(), 2u);
    for (std::size_t k = 0; k < 2; ++k)
      expect_joined(both[k], [&] {
        std::vector<Selection> parts(candidates.size());
        for (std::size_t c = 0; c < parts.size(); ++c) parts[c].kernels[0] = each[k].kernels[c];
        for (GridScore score : each[k].scores) {
          Selection& part = parts[std::exchange(score.point.kernel, 0)];
          part.scores.push_back(score);
        }
        parts[0].costs = each[k].costs;
        return parts;
      }());
  }
}

TEST(SelectKernels, ScoresEachKernelOfFoldsAsIfAlone) {
  const Dataset dataset = few_labels();
  const auto candidates = mixes();
  std::vector<Selection> folds, leave_one_out;
  for (const KernelCandidate& candidate : candidates) {
    Dataset copy = dataset;
    const PreparedGram prepared = prepare_gram(copy, candidate.spec);
    folds.push_back(select_by_folds(*prepared.gram, dataset.labels, 4, small_options()));
    leave_one_out.push_back(
        select_by_leave_one_out(*prepared.gram, dataset.labels, small_options()));
  }
  expect_joined(select_kernels_by_folds(dataset, candidates, 4, small_options()), folds);
  expect_joined(select_kernels_by_leave_one_out(dataset, candidates, small_options()),
                leave_one_out);
}

TEST(SelectKernels, FindsThatNeitherViewIsEnough) {
  SelectOptions options = small_options();
  options.grid.powers = {2, 6};
  const auto candidates = mixes({.length_scales = {LengthScale{5.0}}, .mixes = {0.0, 0.5, 1.0}});
  const Selection selection =
      select_kernels_by_split(attributed(), candidates, quarters(), Setting::transductive, options);
  const auto best_of = [&](std::size_t kernel) {
    const auto best = selection.best([&](const GridPoint& p) { return p.kernel == kernel; });
    return selection.scores[*best].test.value();
  };
  EXPECT_EQ(selection.scores[*selection.best()].point.kernel, 1u);
  EXPECT_GT(best_of(1), best_of(0) + 0.2);
  EXPECT_GT(best_of(1), best_of(2) + 0.2);
}

TEST(SelectKernels, GoesOnWithoutAKernelThatCannotBeBuilt) {
  Dataset dataset = attributed();
  dataset.features->values = Matrix::Ones(dataset.size(), 2);  // no length scale
  const Selection selection =
      select_kernels_by_split(dataset, mixes(), quarters(), Setting::transductive, small_options());
  EXPECT_THAT(selection.kernels, SizeIs(3));
  for (const GridScore& score : selection.scores) EXPECT_EQ(score.point.kernel, 0u);
  EXPECT_THAT(selection.warnings, ElementsAre(AllOf(HasSubstr("0.5 lazy-walk + 0.5 rbf left out"),
                                                    HasSubstr("duplicates")),
                                              HasSubstr("rbf left out")));
  EXPECT_EQ(selection.kernels[1].largest_eigenvalue, 0.0);
  // Throws if no kernel can be used; if all fail with the same error, that error.
  dataset.samples = Graph{csr_from_triplets(kNodes, kNodes, {}), {}};
  EXPECT_THAT(message_of<ValueError>([&] {
                select_kernels_by_split(dataset, mixes(), quarters(), Setting::transductive,
                                        small_options());
              }),
              AllOf(HasSubstr("none of the 3 kernels"), HasSubstr("lazy-walk: the graph has no")));
  EXPECT_THAT(message_of<ValueError>(
                  [&] { select_kernels_by_folds(few_labels(), mixes(), 40, small_options()); }),
              ::testing::StartsWith("40 folds"));
}

TEST(SelectKernels, NamesTheKernelInProgress) {
  SelectOptions options = small_options();
  options.grid.dimensions = {};  // its eigenvectors would replace the solves that report progress
  std::set<std::string> said;
  Context context;
  context.progress = [&](const Progress& progress) {
    const std::string text = progress.phase;
    if (text.find(": ") != std::string::npos) said.insert(text.substr(0, text.find(": ")));
  };
  select_kernels_by_split(attributed(), mixes(), quarters(), Setting::transductive, options,
                          context);
  EXPECT_THAT(said, ElementsAre("0.5 lazy-walk + 0.5 rbf", "lazy-walk", "rbf"));
}

TEST(SelectKernels, SaysOnceWhatAllKernelsWarnOf) {
  SelectOptions options = small_options();
  options.grid.dimensions = {4, 5000};
  const Selection selection =
      select_kernels_by_split(attributed(), mixes(), quarters(), Setting::transductive, options);
  EXPECT_THAT(selection.warnings, ElementsAre(HasSubstr("d = 5000 left out")));
}

TEST(SelectKernels, RefusesKernelsOfFeaturesThatAreNotThere) {
  Dataset dataset = few_labels();
  dataset.features.reset();
  EXPECT_THAT(message_of<ValueError>(
                  [&] { select_kernels_by_folds(dataset, mixes(), 4, small_options()); }),
              HasSubstr("the graph has no node features"));
}

TEST(SelectKernels, RefusesAnEmptyList) {
  EXPECT_THROW(select_kernels_by_folds(few_labels(), {}, 4, small_options()), ValueError);
}

}  // namespace
}  // namespace stkr::select_kernels_test
