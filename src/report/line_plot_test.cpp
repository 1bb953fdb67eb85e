#include "report/line_plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "stkr/error.hpp"

namespace stkr::report::line_plot_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

LinePlot two_lines() {
  return {.title = "<accuracy> & 'p'",
          .x_label = "p",
          .y_label = "accuracy (%)",
          .log_x = false,
          .x_names = {},
          .series = {{"a", {1, 2, 4}, {50, 60, NAN}, {1, 2, 3}}, {"b", {1, 2}, {40, 45}, {}}}};
}

TEST(LinePlot, ShowsItsTextAsItIs) {
  const std::string svg = render_svg(two_lines());
  EXPECT_THAT(svg, HasSubstr("&lt;accuracy&gt; &amp; &#39;p&#39;"));
  EXPECT_THAT(svg, HasSubstr("accuracy (%)"));
  EXPECT_THAT(svg, HasSubstr("currentColor"));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
}

TEST(LinePlot, TakesNamesAndLogarithms) {
  LinePlot named = two_lines();
  named.x_names = {"zero", "50% %g", "2", "3", "4"};
  EXPECT_THAT(render_svg(named), HasSubstr(">50% %g</text>"));
  LinePlot logarithmic = two_lines();
  logarithmic.log_x = true;
  logarithmic.series[0].x = {1e-8, 0.0, 1e3};  // 0 has no logarithm and is left out
  logarithmic.series[0].y = {1, 2, 3};
  EXPECT_THAT(render_svg(logarithmic), HasSubstr("1e-08"));
}

// The places of the circles, the markers of the first series.
std::vector<std::pair<double, double>> circles(const std::string& svg) {
  std::vector<std::pair<double, double>> found;
  for (std::size_t at = 0; (at = svg.find("<circle cx=\"", at)) != std::string::npos; ++at) {
    double x = 0.0, y = 0.0;
    EXPECT_EQ(std::sscanf(svg.c_str() + at, "<circle cx=\"%lf\" cy=\"%lf\"", &x, &y), 2);
    found.emplace_back(x, y);
  }
  return found;
}

TEST(LinePlot, PlacesPowersOnALine) {
  const std::string svg =
      render_svg({.log_x = true,
                  .log_y = true,
                  .series = {{"a", {1, 10, 100, 1000}, {1, 1e-2, 1e-4, 0}, {2, 0, 0, 0}}}});
  const auto places = circles(svg);
  ASSERT_EQ(places.size(), 3u);  // 0 has no logarithm
  EXPECT_NEAR(places[2].second - places[1].second, places[1].second - places[0].second, 0.2);
  EXPECT_GT(places[1].second, places[0].second);
  EXPECT_THAT(svg, HasSubstr(">0.01</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(LinePlot, PlacesPointsInProportion) {
  const std::string svg =
      render_svg({.x_label = "x", .y_label = "y", .series = {{"a", {0, 1, 3}, {5, 7, 6}, {}}}});
  const auto places = circles(svg);
  ASSERT_EQ(places.size(), 3u);
  EXPECT_NEAR(places[2].first - places[0].first, 3 * (places[1].first - places[0].first), 0.05);
  EXPECT_NEAR(places[0].second - places[2].second, places[2].second - places[1].second, 0.05);
  EXPECT_GT(places[0].second, places[1].second);  // up is larger
}

TEST(LinePlot, PlacesPowersOfTenAtEqualDistances) {
  const std::string svg =
      render_svg({.log_x = true, .series = {{"a", {1e-3, 1e-1, 1e1}, {5, 7, 6}, {}}}});
  const auto places = circles(svg);
  ASSERT_EQ(places.size(), 3u);
  EXPECT_NEAR(places[2].first - places[1].first, places[1].first - places[0].first, 0.05);
}

TEST(LinePlot, LeavesOutLinesOrMarkers) {
  const LinePlot plot{.series = {{"a", {0, 1}, {1, 2}, {}, true, false}}};
  EXPECT_THAT(render_svg(plot), AllOf(HasSubstr("<polyline"), Not(HasSubstr("<circle"))));
  const LinePlot points{.series = {{"a", {0, 1}, {1, 1}, {}, false, true}}};
  EXPECT_THAT(render_svg(points), AllOf(HasSubstr("<circle"), Not(HasSubstr("<polyline"))));
}

// Equal eigenvalues differ by rounding. Steps between ticks so small would never end.
TEST(LinePlot, DrawsNumbersThatAreEqualUpToRounding) {
  for (const double size : {1e-3, 1.0, 1e12, 1e-310}) {
    PlotSeries values{.name = "values"};
    for (int k = 0; k < 40; ++k) {
      values.x.push_back(k);
      values.y.push_back(size * (1.0 + k * 2.3e-16));
    }
    for (int turn = 0; turn < 2; ++turn) {
      const std::string svg =
          render_svg({.x_label = "x", .y_label = "y", .x_names = {}, .series = {values}});
      EXPECT_LT(svg.size(), 20000u) << size;
      EXPECT_EQ(circles(svg).size(), 40u) << size;
      std::swap(values.x, values.y);
    }
  }
}

TEST(LinePlot, RefusesWhatItCannotPlot) {
  LinePlot plot = two_lines();
  plot.series[0].y.pop_back();
  EXPECT_THROW(render_svg(plot), ValueError);
  plot.series = {{"a", {1}, {NAN}, {}}};
  EXPECT_THROW(render_svg(plot), ValueError);
  plot.series.clear();
  EXPECT_THROW(render_svg(plot), ValueError);
}

}  // namespace
}  // namespace stkr::report::line_plot_test
