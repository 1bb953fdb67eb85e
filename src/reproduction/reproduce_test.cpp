#include "reproduction/reproduce.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "dataset/save_dataset.hpp"
#include "reproduction/paper_graph.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::reproduce_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A small graph under the name and with the set sizes of DBLP (80 train, 80 validation).
class Reproduce : public ::testing::Test {
 protected:
  Reproduce() {
    graph_ = stochastic_block_model(std::array<Index, 4>{150, 150, 150, 150}, 0.05, 0.01, 5);
    save_dataset(paper_graph_path(path(), dblp()), graph_);
  }

  static const PaperDataset& dblp() { return paper_dataset("dblp"); }
  std::filesystem::path path() const { return folder_ / ""; }
  ReproduceOptions options() const {
    ReproduceOptions options;
    options.methods = {PaperMethod::label_propagation, PaperMethod::kernel_ridge};
    options.seeds = {4, 9};
    return options;
  }

  testing::TemporaryFolder folder_;
  Dataset graph_;
};

TEST_F(Reproduce, ReportsTheChoiceOfEveryExperiment) {
  const Reproduction result = reproduce(path(), {&dblp()}, options());
  ASSERT_EQ(result.exhibits.size(), 1u);
  ASSERT_EQ(result.exhibits[0].cells.size(), 2u);  // LP (transductive) and KRR (inductive)
  EXPECT_EQ(result.computed, 4);
  EXPECT_EQ(result.resumed, 0);
  const PaperGraph graph = load_paper_graph(paper_graph_path(path(), dblp()), dblp());
  for (const ReproducedCell& cell : result.exhibits[0].cells) {
    SCOPED_TRACE(to_string(cell.cell.method));
    ASSERT_EQ(cell.choices.size(), 2u);
    double sum = 0.0;
    for (std::size_t k = 0; k < 2; ++k) {
      const std::uint64_t seed = options().seeds[k];
      const auto expected = choice_for(
          cell.cell,
          run_experiment(graph.dataset, dblp(), experiment_for(cell.cell, seed), Context{}));
      ASSERT_TRUE(expected);
      EXPECT_EQ(cell.choices[k].point, expected->point);
      EXPECT_EQ(cell.choices[k].test, expected->test);
      sum += 100.0 * *expected->test;
    }
    EXPECT_DOUBLE_EQ(cell.comparison.mean, sum / 2.0);
    EXPECT_EQ(cell.comparison.seeds, 2);
    EXPECT_TRUE(cell.comparison.paper);
  }
}

TEST_F(Reproduce, ResumesFromACheckpoint) {
  const auto file = folder_ / "cells.jsonl";
  const auto run = [&](const ReproduceOptions& wanted) {
    Checkpoint checkpoint(file, reproduction_run_key());
    return reproduce(path(), {&dblp()}, wanted, &checkpoint);
  };
  const Reproduction first = run(options());
  EXPECT_EQ(first.computed, 4);
  ReproduceOptions more = options();
  more.seeds.push_back(5);
  const Reproduction second = run(more);
  EXPECT_EQ(second.computed, 2);
  EXPECT_EQ(second.resumed, 4);
  for (std::size_t c = 0; c < 2; ++c) {
    const ReproducedCell &before = first.exhibits[0].cells[c], &after = second.exhibits[0].cells[c];
    ASSERT_EQ(after.choices.size(), 3u);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(after.choices[k].point, before.choices[k].point);
      EXPECT_EQ(after.choices[k].test, before.choices[k].test);
    }
  }
  more.fresh = true;
  EXPECT_EQ(run(more).computed, 6);
}

TEST_F(Reproduce, GoesOnAfterAGraphThatCannotBeRead) {
  folder_.write("cora.npz", "PK nonsense");
  const Reproduction result = reproduce(path(), {&paper_dataset("cora"), &dblp()}, options());
  EXPECT_THAT(result.failures, ElementsAre(HasSubstr("cora: ")));
  EXPECT_FALSE(result.out_of_memory);
  EXPECT_EQ(result.exhibits[0].cells.size(), 2u);
}

TEST_F(Reproduce, ReportsWarningsAndProgressAsTheyOccur) {
  std::vector<std::string> warned;
  std::vector<int> finished;
  ReproduceOptions wanted = options();
  wanted.warn = [&](const std::string& warning) { warned.push_back(warning); };
  wanted.watch = [&](const ReproduceProgress& progress) {
    EXPECT_EQ(&progress.dataset, &dblp());
    EXPECT_FALSE(progress.running.empty());
    finished.push_back(progress.finished);
  };
  const Reproduction result = reproduce(path(), {&dblp()}, wanted);
  EXPECT_THAT(warned, Contains(HasSubstr("600 nodes")));
  EXPECT_EQ(warned, result.warnings);
  ASSERT_FALSE(finished.empty());
  EXPECT_EQ(finished.front(), 0);
  EXPECT_EQ(finished.back(), 3);
  EXPECT_TRUE(std::is_sorted(finished.begin(), finished.end()));
}

TEST_F(Reproduce, CanBeCancelled) {
  std::stop_source stop;
  ReproduceOptions wanted = options();
  wanted.watch = [&](const ReproduceProgress&) { stop.request_stop(); };
  EXPECT_THROW(reproduce(path(), {&dblp()}, wanted, nullptr, {.cancel = stop.get_token()}),
               Cancelled);
}

TEST(WantedCells, SelectsRowsOfTablesOnly) {
  const auto all = exhibit_cells(Exhibit::power_figure).size();
  EXPECT_EQ(wanted_cells(Exhibit::power_figure, {PaperMethod::label_propagation}).size(), all);
  for (const ExhibitCell& cell : wanted_cells(Exhibit::p_test_table, {PaperMethod::top_d})) {
    EXPECT_EQ(cell.method, PaperMethod::top_d);
  }
  EXPECT_THROW(wanted_cells(Exhibit::p_test_table, {PaperMethod::label_propagation}), ValueError);
}

}  // namespace
}  // namespace stkr::reproduce_test
