#include "report/explain_page.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/explain_json.hpp"
#include "report/explain_tables.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"

namespace stkr::report::explain_page_test {
namespace {

Explanation moons(Index per_class) {
  Dataset dataset = two_moons(300, 0.1, 3);
  keep_only(dataset.labels, labeled_per_class(std::get<ClassLabels>(dataset.labels), per_class, 5));
  Explanation found = explain(dataset, {}, {.draws = 1});
  found.data = "moons <&>";
  return found;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(ExplainPage, StartsWithTheVerdictAndShowsEverything) {
  const Explanation found = moons(8);
  const std::string page = explain_page(found, {{"Command", "stkr explain moons.csv"}});
  EXPECT_EQ(count(page, "<svg"), 6u);
  const std::size_t verdict = page.find("Expect about"), pictures = page.find("<svg"),
                    numbers = page.find("The kernel"), how = page.find("How this was computed");
  EXPECT_LT(verdict, pictures);
  EXPECT_LT(pictures, numbers);
  EXPECT_LT(numbers, how);
  EXPECT_NE(how, std::string::npos);
  EXPECT_NE(page.find("moons &lt;&amp;&gt;"), std::string::npos);
  EXPECT_NE(page.find("thm:approx"), std::string::npos);
  EXPECT_EQ(page.find("Not known"), std::string::npos);
}

TEST(ExplainPage, MarksWhatIsNotKnown) {
  const std::string page = explain_page(moons(2), {});
  EXPECT_NE(page.find("Not known"), std::string::npos);
  EXPECT_NE(page.find("at least 6 are needed"), std::string::npos);
  EXPECT_EQ(count(page, "<svg"), 2u);
  EXPECT_EQ(page.find("The suggested fit"), std::string::npos);
}

TEST(ExplainTables, HaveOneRowPerBandFitAndBound) {
  const Explanation found = moons(8);
  EXPECT_EQ(energy_table(found).rows.size(), found.energy.bands.size() + 2);  // header and rest
  EXPECT_EQ(compared_table(found).rows.size(), 5u);
  EXPECT_EQ(compared_table(found).rows.front().size(), 4u);  // moons have hidden labels
  EXPECT_EQ(bounds_table(found).rows.size(), found.bounds.size() + 1);
  EXPECT_EQ(curve_table(found).rows.size(),
            found.with_labels.points.size() + found.with_samples.points.size() + 1);
}

TEST(ExplainTables, TellVacuousBoundsFromOthers) {
  Bound bound;
  bound.value = 3.0;
  bound.trivial = 1.0;
  EXPECT_EQ(bound_verdict(bound), "vacuous");
  bound.value = 0.5;
  EXPECT_EQ(bound_verdict(bound), "says something");
  bound.assumptions = {{"n is large", false, "n = 3"}};
  EXPECT_EQ(bound_verdict(bound), "does not apply");
}

TEST(ExplainJson, HasTheNumbersOfThePage) {
  const Explanation found = moons(8);
  const nlohmann::json tree = explanation_json(found);
  EXPECT_EQ(tree.at("verdict").get<std::vector<std::string>>(), found.verdict);
  EXPECT_EQ(tree.at("suggestion").at("beta"), found.suggestion->beta);
  EXPECT_EQ(tree.at("bounds").size(), found.bounds.size());
  EXPECT_EQ(tree.at("energy").at("bands").size(), found.energy.bands.size());
  EXPECT_EQ(nlohmann::json::parse(explanation_text(found)), tree);
}

}  // namespace
}  // namespace stkr::report::explain_page_test
