#include "report/run_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stkr::report::run_page_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kBad = "<script>alert('x')</script>&\"";

Confusion two_by_two(const std::string& first, const std::string& second) {
  return {"Confusion", {first, second}, {{8, 2}, {0, 5}}};
}

TEST(RunPage, LeavesOutWhatIsEmpty) {
  const std::string html = render_html(RunPage{.title = "Nothing"});
  EXPECT_THAT(html, HasSubstr("<h1>Nothing</h1>"));
  for (const char* part : {"<section", "<table", "<figure", "<dl", "Warnings", "<img"}) {
    EXPECT_THAT(html, Not(HasSubstr(part)));
  }
}

TEST(RunPage, EscapesEveryText) {
  RunPage page{.title = kBad};
  page.intro = page.warnings = page.notes = {kBad};
  page.scores = page.evidence = page.facts = {{kBad, kBad}};
  page.tables = {{kBad, {{kBad, kBad}, {kBad, kBad}}}};
  page.shares = ClassShares{{kBad, "b"}, {1, 2}, {3, 4}, {0.5, 0.5}};
  page.confusions = {two_by_two(kBad, "b")};
  page.confusions.front().title = kBad;
  page.uncertain = {{kBad, kBad, kBad, kBad}};
  page.figures = {{kBad, kBad, "<svg></svg>", false}};
  const std::string html = render_html(page);
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, HasSubstr("<svg></svg>"));
  std::size_t found = 0;
  for (std::size_t at = 0; (at = html.find("&lt;script&gt;", at)) != std::string::npos; ++at) {
    ++found;
  }
  EXPECT_EQ(found, 2u + 3u + 6u + 6u + 2u + 6u + 4u + 2u);
}

TEST(RunPage, ShowsSharesOfLabelsAnswersAndPrior) {
  RunPage page;
  page.shares = ClassShares{{"cat", "dog"}, {1, 3}, {60, 40}, {0.5, 0.5}};
  const std::string html = render_html(page);
  for (const char* text :
       {">25.0%<", ">75.0%<", ">60.0%<", ">40.0%<", ">50.0%<", "title=\"60\"", ">Prior<"}) {
    EXPECT_THAT(html, HasSubstr(text));
  }
  page.shares->prior.clear();
  EXPECT_THAT(render_html(page), Not(HasSubstr("Prior")));
}

TEST(RunPage, ColorsConfusionByRow) {
  RunPage page;
  page.confusions = {two_by_two("a", "b")};
  const std::string html = render_html(page);
  EXPECT_THAT(html, AllOf(HasSubstr("class=\"right\" style=\"--a:54\" title=\"80.0%\">8<"),
                          HasSubstr("class=\"wrong\" style=\"--a:21\" title=\"20.0%\">2<"),
                          HasSubstr("class=\"right\" style=\"--a:65\" title=\"100.0%\">5<"),
                          HasSubstr("class=\"zero\">·<")));
}

TEST(RunPage, StaysSmallWithAThousandClasses) {
  RunPage page;
  page.shares = ClassShares{{}, {}, {}, {}};
  Confusion confusion{"Confusion", {}, std::vector(1000, std::vector<Index>(1000, 1))};
  for (int c = 0; c < 1000; ++c) {
    page.shares->names.push_back("class " + std::to_string(c));
    page.shares->labels.push_back(c);
    page.shares->answers.push_back(1000 - c);
    page.shares->prior.push_back(1e-3);
    confusion.names.push_back("class " + std::to_string(c));
    confusion.counts[c][c] = c;
  }
  page.confusions = {std::move(confusion)};
  const std::string html = render_html(page);
  EXPECT_LT(html.size(), 200'000u);
  EXPECT_THAT(html, AllOf(HasSubstr("The 30 largest of 1,000 classes"), HasSubstr("class 0<"),
                          HasSubstr("980 others")));
}

TEST(RunPage, JoinsASelectionAndItsFit) {
  RunPage selection{.title = "Selection"}, fit{.title = "Fit"};
  selection.scores = {{"a", "1"}};
  fit.scores = {{"b", "2"}};
  selection.shares = ClassShares{{"x"}, {1}, {1}, {}};
  fit.shares = ClassShares{{"x"}, {1}, {9}, {1.0}};
  selection.facts = {{"Command", "select"}, {"Version", "1"}};
  fit.facts = {{"Command", "fit"}, {"Version", "1"}, {"Solver", "cg"}};
  const RunPage page = joined(selection, fit);
  EXPECT_EQ(page.title, "Selection");
  EXPECT_EQ(page.scores, (Facts{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(page.shares->answers, std::vector<Index>{9});
  EXPECT_EQ(page.facts, (Facts{{"Command", "select"}, {"Version", "1"}, {"Solver", "cg"}}));
}

TEST(RunPage, CountsOnlyLabeledAnsweredSamples) {
  const Labels truth = ClassLabels{{"a", "b"}, {0, 1, kUnlabeled, 1, 0}};
  const Confusion confusion = confusion_of("", truth, {0, 1, 2, 3, 4}, {0, 0, 1, 1, -1});
  EXPECT_EQ(confusion.counts, (std::vector<std::vector<Index>>{{1, 0}, {1, 1}}));
}

TEST(RunPage, WritesNumbersForPeople) {
  EXPECT_EQ(percent(0.5), "50.0%");
  EXPECT_EQ(percent(1.0), "100.0%");
  EXPECT_EQ(percent(0.9999), "99.99%");
  EXPECT_EQ(counted(999), "999");
  EXPECT_EQ(counted(-1234567), "-1,234,567");
  EXPECT_EQ(counted(1, "sample"), "1 sample");
  EXPECT_EQ(counted(1000, "sample"), "1,000 samples");
}

}  // namespace
}  // namespace stkr::report::run_page_test
