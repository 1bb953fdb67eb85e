#include "reproduction/exhibit.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace stkr::exhibit_test {
namespace {

TEST(Exhibit, HasEveryNumberOfThePapersTables) {
  // Includes the row that stkr adds.
  EXPECT_EQ(exhibit_cells(Exhibit::accuracy_table).size(), 8u + 2u);
  EXPECT_EQ(exhibit_cells(Exhibit::p_test_table).size(), 15u + 5u);
  EXPECT_EQ(exhibit_cells(Exhibit::power_figure).size(), 2u * 5u);
  for (const Exhibit exhibit : {Exhibit::accuracy_table, Exhibit::p_test_table}) {
    for (const ExhibitCell& cell : exhibit_cells(exhibit)) {
      for (const PaperDataset& dataset : paper_datasets()) {
        EXPECT_TRUE(paper_value(dataset.name, exhibit, cell)) << dataset.name;
      }
    }
  }
}

TEST(Exhibit, ComparesBothDefinitionsOfTheTopDWithThePapersRow) {
  const ExhibitCell literal{PaperMethod::top_d, Setting::inductive, 0.3};
  const ExhibitCell reached{PaperMethod::top_d_reached, Setting::inductive, 0.3};
  EXPECT_FALSE(experiment_for(literal, 0).reached);
  EXPECT_TRUE(experiment_for(reached, 0).reached);
  EXPECT_EQ(paper_value("dblp", Exhibit::p_test_table, reached)->mean, 59.18);
  EXPECT_EQ(paper_value("dblp", Exhibit::p_test_table, literal)->mean, 59.18);
  EXPECT_FALSE(paper_accuracy("dblp", Setting::inductive, PaperMethod::top_d_reached));
}

TEST(Exhibit, KnowsWhichPointsOfAFigureATableHasToo) {
  for (const ExhibitCell& cell : exhibit_cells(Exhibit::power_figure)) {
    const auto value = paper_value("photo", Exhibit::power_figure, cell);
    const bool inductive = cell.setting == Setting::inductive;
    EXPECT_EQ(value.has_value(), cell.parameter == 8.0 || (cell.parameter == 1.0 && inductive));
    if (value && cell.parameter == 1.0) {
      EXPECT_EQ(value->mean, 33.95);
    }
  }
}

// Cells that one experiment covers are not computed again.
TEST(Exhibit, SharesExperiments) {
  const Experiment poly = experiment_for({PaperMethod::polynomial, Setting::inductive}, 3);
  EXPECT_EQ(poly, experiment_for({PaperMethod::kernel_ridge, Setting::inductive}, 3));
  EXPECT_EQ(poly, experiment_for({PaperMethod::polynomial, Setting::inductive, 0.01, 4.0}, 3));
  EXPECT_NE(poly, experiment_for({PaperMethod::polynomial, Setting::inductive}, 4));
  EXPECT_NE(poly, experiment_for({PaperMethod::polynomial, Setting::transductive}, 3));
  EXPECT_NE(poly, experiment_for({PaperMethod::polynomial, Setting::inductive, 0.05}, 3));
}

TEST(Exhibit, AsksForEveryParameterOfAFigure) {
  for (const Exhibit exhibit : {Exhibit::power_figure, Exhibit::eta_figure}) {
    for (const ExhibitCell& cell : exhibit_cells(exhibit)) {
      const std::vector<double> parameters = experiment_for(cell, 0).parameters;
      EXPECT_EQ(std::count(parameters.begin(), parameters.end(), *cell.parameter), 1);
    }
  }
}

TEST(Exhibit, ReportsTheBestByValidationOfWhatACellMayChoose) {
  ExperimentResult result;
  const auto add = [&](double parameter, double validation, double test) {
    GridScore score;
    score.point.parameter = parameter;
    score.validation = validation;
    score.test = test;
    result.choices.push_back(score);
  };
  add(1.0, 0.3, 0.1);
  add(4.0, 0.9, 0.2);
  add(8.0, 0.9, 0.3);  // tie: the first is chosen
  const Setting setting = Setting::inductive;
  EXPECT_EQ(choice_for({PaperMethod::laplacian, setting}, result)->test, 0.2);
  EXPECT_EQ(choice_for({PaperMethod::polynomial, setting}, result)->test, 0.3);
  EXPECT_EQ(choice_for({PaperMethod::kernel_ridge, setting}, result)->test, 0.1);
  EXPECT_EQ(choice_for({PaperMethod::polynomial, setting, 0.01, 4.0}, result)->test, 0.2);
  EXPECT_FALSE(choice_for({PaperMethod::polynomial, setting, 0.01, 6.0}, result));
  EXPECT_FALSE(choice_for({PaperMethod::top_d, setting}, {}));
}

}  // namespace
}  // namespace stkr::exhibit_test
