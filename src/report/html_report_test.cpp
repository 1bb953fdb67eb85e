#include "report/html_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stkr::report::html_report_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

ReportCell cell(double mean, double paper) {
  return {.mean = mean,
          .std = 1.25,
          .paper_mean = paper,
          .paper_std = 2.5,
          .difference = mean - paper,
          .low = mean - paper - 2.0,
          .high = mean - paper + 2.0,
          .rank = 0,
          .seeds = 10,
          .note = {}};
}

Report with(std::vector<ReportCell> cells) {
  Report report;
  report.title = "Results";
  report.tables = {{.title = "Accuracy",
                    .caption = "",
                    .row_head = "Method",
                    .column_heads = {"Cora", "Photo", "CS"},
                    .rows = {{"transductive", "SP-Lap", std::move(cells)}}}};
  return report;
}

TEST(HtmlReport, ShowsOursThePapersAndHowTheyStand) {
  const std::string html =
      render_html(with({cell(77.5, 77.04), cell(90.0, 84.08), cell(60.0, 78.96)}));
  EXPECT_THAT(html, AllOf(HasSubstr("77.50"), HasSubstr("±1.25"), HasSubstr("77.04"),
                          HasSubstr("±2.50"), HasSubstr("transductive")));
  EXPECT_THAT(html, AllOf(HasSubstr("+0.5 [−1.5, 2.5]"), HasSubstr("+5.9 [3.9, 7.9]"),
                          HasSubstr("−19.0 [−21.0, −17.0]")));
  EXPECT_THAT(html, AllOf(HasSubstr("○</span> 1 no significant difference"),
                          HasSubstr("▲</span> 1 above"), HasSubstr("▼</span> 1 below")));
}

TEST(HtmlReport, ShowsADifferenceWithoutAnInterval) {
  ReportCell one = cell(80, 79);
  one.low = one.high = one.std = std::nullopt;
  const std::string html = render_html(with({one, one, one}));
  EXPECT_THAT(html, AllOf(HasSubstr("\">+1.0</span>"), Not(HasSubstr("class=\"tally\""))));
}

TEST(HtmlReport, MarksTheBestAndWhatIsMissing) {
  ReportCell best = cell(80, 80);
  best.rank = 1;
  ReportCell partial = cell(70, 80);
  partial.rank = 2;
  partial.seeds = 3;
  partial.note = "did not converge";
  ReportCell missing;
  missing.paper_mean = 50.0;
  const std::string html = render_html(with({best, partial, missing}));
  EXPECT_THAT(html, AllOf(HasSubstr("class=\"m first\">80.00"),
                          HasSubstr("class=\"m second\">70.00"), HasSubstr("3 of 10 seeds"),
                          HasSubstr("did not converge"), HasSubstr("class=\"m\">–")));
  EXPECT_THAT(html, AllOf(HasSubstr("best of its column"), HasSubstr("second best</span>")));
}

TEST(HtmlReport, EscapesEveryText) {
  const std::string bad = "<script>alert('x')</script>&\"";
  ReportCell noted = cell(1, 2);
  noted.note = bad;
  Report report = with({noted, noted, noted});
  report.title = bad;
  report.intro = report.notes = report.failures = {bad};
  report.facts = {{bad, bad}};
  report.tables[0].title = report.tables[0].caption = report.tables[0].row_head = bad;
  report.tables[0].column_heads[0] = bad;
  report.tables[0].rows[0].label = report.tables[0].rows[0].group = bad;
  report.figures = {{.title = bad, .caption = bad, .svg = "<svg></svg>", .wide = true}};
  const std::string html = render_html(report);
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, HasSubstr("<svg></svg>"));
  std::size_t found = 0;
  for (std::size_t at = 0; (at = html.find("&lt;script&gt;", at)) != std::string::npos; ++at) {
    ++found;
  }
  EXPECT_EQ(found, 2u + 3u + 2u + 1u + 1u + 1u + 1u + 1u + 1u + 1u + 3u + 2u);
}

TEST(HtmlReport, NeedsNoOtherFiles) {
  const std::string html = render_html(with({}));
  for (const char* link : {"src=", "href=", "url(", "@import", "<script"}) {
    EXPECT_THAT(html, Not(HasSubstr(link)));
  }
}

TEST(HtmlReport, LeavesOutWhatIsEmpty) {
  const std::string html = render_html(Report());
  for (const char* part : {"<section", "<table", "<figure", "<dl", "Failures"}) {
    EXPECT_THAT(html, Not(HasSubstr(part)));
  }
}

}  // namespace
}  // namespace stkr::report::html_report_test
