#include "line_plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "gnuplot.hpp"
#include "stkr/error.hpp"

namespace stkr::app {
namespace {

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
  if (!gnuplot_available()) GTEST_SKIP() << "gnuplot is not installed";
  const std::string svg = render_svg(two_lines());
  EXPECT_THAT(svg, HasSubstr("&lt;accuracy> &amp; 'p'"));
  EXPECT_THAT(svg, HasSubstr("accuracy (%)"));
  EXPECT_THAT(svg, HasSubstr("currentColor"));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
}

TEST(LinePlot, TakesNamesAndLogarithms) {
  if (!gnuplot_available()) GTEST_SKIP() << "gnuplot is not installed";
  LinePlot named = two_lines();
  named.x_names = {"zero", "50% %g", "2", "3", "4"};
  EXPECT_THAT(render_svg(named), HasSubstr(">50% %g</text>"));
  LinePlot logarithmic = two_lines();
  logarithmic.log_x = true;
  logarithmic.series[0].x = {1e-8, 0.0, 1e3};  // 0 has no logarithm and is left out
  logarithmic.series[0].y = {1, 2, 3};
  EXPECT_THAT(render_svg(logarithmic), HasSubstr("1e-08"));
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
}  // namespace stkr::app
