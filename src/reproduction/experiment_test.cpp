#include "reproduction/experiment.hpp"

#include <gtest/gtest.h>

#include <array>

#include "reproduction/paper_split.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/error.hpp"

namespace stkr::experiment_test {
namespace {

const PaperDataset& sizes() { return paper_dataset("dblp"); }  // 80 train, 80 val

Dataset graph() {
  return stochastic_block_model(std::array<Index, 4>{100, 100, 100, 100}, 0.05, 0.01, 5);
}

Experiment experiment(Family family, std::vector<double> parameters, Setting setting) {
  Experiment result;
  result.p_test = 0.1;
  result.seed = 3;
  result.setting = setting;
  result.family = family;
  result.parameters = std::move(parameters);
  return result;
}

// Separate families give the same choices as the whole grid.
TEST(Experiment, ChoosesAsTheWholeGridDoes) {
  const Dataset dataset = graph();
  for (const Setting setting : {Setting::transductive, Setting::inductive}) {
    SelectOptions options;
    options.grid = with_paper_betas();
    options.literal_top_d = true;
    options.ties_by_grid_order = true;
    options.grid.powers = {1, 4};
    options.grid.etas = {0.7, 0.999};
    options.grid.dimensions = {4, 8};
    options.grid.propagation_etas = {0.9};
    options.no_evidence = NoEvidence::first_class;
    Specification spec;
    spec.kernel = GraphKernelSpec{GraphNormalization::symmetric};
    const Selection whole = select_by_split(
        dataset, spec, paper_split(sizes(), dataset.size(), 0.1, 3), setting, options);
    for (const Experiment& one : {experiment(Family::power, {1, 4}, setting),
                                  experiment(Family::inverse_laplacian, {0.7, 0.999}, setting),
                                  experiment(Family::top_d, {4, 8}, setting),
                                  experiment(Family::label_propagation, {0.9}, setting)}) {
      SCOPED_TRACE(experiment_key(one));
      const ExperimentResult result = run_experiment(dataset, sizes(), one);
      const bool possible =
          one.family != Family::label_propagation || setting == Setting::transductive;
      ASSERT_EQ(result.choices.size(), possible ? one.parameters.size() : 0u);
      for (const GridScore& choice : result.choices) {
        const auto best = whole.best([&](const GridPoint& point) {
          return point.family == one.family && point.parameter == choice.point.parameter;
        });
        ASSERT_TRUE(best);
        EXPECT_EQ(choice.point, whole.scores[*best].point);
        EXPECT_EQ(choice.test, whole.scores[*best].test);
      }
    }
  }
}

TEST(Experiment, StopsEarlyOnlyWhereThePaperIterates) {
  const Dataset dataset = graph();
  for (const Family family : {Family::power, Family::inverse_laplacian, Family::top_d}) {
    Experiment one =
        experiment(family, {family == Family::inverse_laplacian ? 0.9 : 4.0}, Setting::inductive);
    one.solver = PaperSolver::richardson;
    const ExperimentResult result = run_experiment(dataset, sizes(), one);
    ASSERT_EQ(result.choices.size(), 1u);
    EXPECT_EQ(result.choices[0].point.iterations > 0, family != Family::top_d);
    EXPECT_GT(*result.choices[0].test, 0.25);
  }
}

TEST(Experiment, AnswersWithTheFirstClassOnlyWhereAskedTo) {
  // Only nodes of class 3 have no edges: samples without evidence.
  std::vector<Triplet> edges;
  for (std::int32_t i = 0; i + 1 < 300; ++i) {
    edges.push_back({i, i + 1, 1.0});
    edges.push_back({i + 1, i, 1.0});
  }
  ClassLabels labels{{"0", "1", "2", "3"}, {}};
  for (int i = 0; i < 400; ++i) labels.code.push_back(i < 300 ? i / 100 : 3);
  Dataset dataset;
  dataset.samples = Graph{csr_from_triplets(400, 400, edges), {}};
  dataset.labels = dataset.truth = labels;
  Experiment one = experiment(Family::power, {8}, Setting::transductive);
  const ExperimentResult first = run_experiment(dataset, sizes(), one);
  one.no_evidence = NoEvidence::prior;
  const ExperimentResult prior = run_experiment(dataset, sizes(), one);
  EXPECT_GT(first.choices[0].test_no_evidence, 0);
  EXPECT_EQ(first.choices[0].test_no_evidence, prior.choices[0].test_no_evidence);
  EXPECT_NE(first.choices[0].test, prior.choices[0].test);
}

TEST(Experiment, SurvivesAFile) {
  const ExperimentResult result = run_experiment(
      graph(), sizes(), experiment(Family::inverse_laplacian, {0.7, 0.999999}, Setting::inductive));
  const ExperimentResult again = experiment_from_json(experiment_json(result));
  ASSERT_EQ(again.choices.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(again.choices[k].point, result.choices[k].point);
    EXPECT_EQ(again.choices[k].validation, result.choices[k].validation);
    EXPECT_EQ(again.choices[k].test, result.choices[k].test);
  }
  EXPECT_EQ(again.seconds, result.seconds);
  EXPECT_EQ(again.warnings, result.warnings);
  EXPECT_THROW(experiment_from_json("{"), ValueError);
  EXPECT_THROW(experiment_from_json("{\"seconds\":1}"), ValueError);
}

// A checksum shows that a line is unchanged, not that stkr wrote it.
TEST(Experiment, RefusesWhatIsNoResult) {
  const std::string good =
      R"({"seconds":1,"warnings":[],"choices":[{"family":0,"parameter":2,"beta":0.1,)"
      R"("iterations":0,"validation":0.5,"test":0.5,"validation_no_evidence":0,)"
      R"("test_no_evidence":0}]})";
  EXPECT_EQ(experiment_from_json(good).choices.size(), 1u);
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    EXPECT_THROW(experiment_from_json(text), ValueError) << text;
  };
  refused(R"("validation":0.5)", R"("validation":4.716)");
  refused(R"("validation":0.5)", R"("validation":null)");
  refused(R"("test":0.5)", R"("test":-0.5)");
  refused(R"("test":0.5)", R"("test":NaN)");
  refused(R"("test":0.5)", R"("test":1e999)");
  refused(R"("test":0.5)", R"("tests":0.5)");
  refused(R"("family":0)", R"("family":6)");
  refused(R"("family":0)", R"("family":0.5)");
  refused(R"("iterations":0)", R"("iterations":1e300)");
  refused(R"("iterations":0)", R"("iterations":4294967296)");
  refused(R"("test_no_evidence":0)", R"("test_no_evidence":-1)");
  refused(R"("parameter":2)", R"("parameter":true)");
  refused(R"("warnings":[])", R"("warnings":[1])");
  refused(R"("seconds":1)", R"("seconds":"1")");
  EXPECT_THROW(experiment_from_json(R"({"seconds":1,"warnings":[],"choices":{"a":1}})"),
               ValueError);
  EXPECT_THROW(experiment_from_json("[]"), ValueError);
}

TEST(Experiment, HasAKeyForEverythingThatDecidesItsNumbers) {
  const Experiment one = experiment(Family::inverse_laplacian, {0.99999}, Setting::inductive);
  const auto differs = [&](auto&& change) {
    Experiment other = one;
    change(other);
    return experiment_key(other) != experiment_key(one);
  };
  EXPECT_TRUE(differs([](Experiment& e) { e.p_test = 0.2; }));
  EXPECT_TRUE(differs([](Experiment& e) { e.seed = 30; }));
  EXPECT_TRUE(differs([](Experiment& e) { e.setting = Setting::transductive; }));
  EXPECT_TRUE(differs([](Experiment& e) { e.family = Family::label_propagation; }));
  EXPECT_TRUE(differs([](Experiment& e) { e.parameters = {0.999999}; }));
  EXPECT_TRUE(differs([](Experiment& e) { e.solver = PaperSolver::richardson; }));
  EXPECT_TRUE(differs([](Experiment& e) { e.no_evidence = NoEvidence::prior; }));
  EXPECT_TRUE(differs([](Experiment& e) { e.reached = true; }));
}

TEST(Experiment, RefusesSplitsThatDoNotFit) {
  Experiment one = experiment(Family::power, {2}, Setting::transductive);
  one.p_test = 0.9;
  EXPECT_THROW(run_experiment(graph(), sizes(), one), ValueError);
  one.p_test = 0.001;  // no test samples
  EXPECT_THROW(run_experiment(graph(), sizes(), one), ValueError);
}

TEST(Experiment, StopsWhenAskedTo) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(run_experiment(graph(), sizes(), experiment(Family::power, {2}, Setting::inductive),
                              {.cancel = stop.get_token()}),
               Cancelled);
}

TEST(Experiment, GroupsThoseThatShareASplit) {
  Experiment a = experiment(Family::power, {1}, Setting::transductive);
  Experiment b = experiment(Family::power, {1}, Setting::inductive);
  Experiment c = experiment(Family::top_d, {4}, Setting::transductive);
  Experiment d = a;
  d.seed = 8;
  using Groups = std::vector<std::vector<Experiment>>;
  EXPECT_EQ(groups_by_split({a, b, c, d}), (Groups{{a, c}, {b}, {d}}));
  EXPECT_EQ(groups_by_split({}), Groups{});
}

}  // namespace
}  // namespace stkr::experiment_test
