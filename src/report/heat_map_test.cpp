#include "report/heat_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "stkr/error.hpp"

namespace stkr::report::heat_map_test {
namespace {

using ::testing::HasSubstr;

HeatMap two_by_three() {
  return {.title = "grid",
          .x_label = "β",
          .y_label = "η",
          .x_names = {"1e-3", "1", "10%"},
          .y_names = {"0.7", "0.9"},
          .values = {{10.25, 20.5, NAN}, {30.75, 90, 50}},
          .mark = {{1, 1}}};
}

TEST(HeatMap, WritesItsValuesIntoTheCells) {
  const std::string svg = render_svg(two_by_three());
  for (const char* text : {"20.5<", "30.8<", "90.0<", ">–<", ">10%<", ">η<"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
}

TEST(HeatMap, TakesAllValuesEqualAndOneCell) {
  HeatMap map = two_by_three();
  map.values = {{5, 5, 5}, {5, 5, 5}};
  EXPECT_THAT(render_svg(map), HasSubstr("5.0<"));
  map.x_names = {"a"};
  map.y_names = {"b"};
  map.values = {{1}};
  map.mark.reset();
  EXPECT_THAT(render_svg(map), HasSubstr("1.0<"));
}

TEST(HeatMap, RefusesWhatItCannotPlot) {
  HeatMap map = two_by_three();
  map.values[0].pop_back();
  EXPECT_THROW(render_svg(map), ValueError);
  map = two_by_three();
  map.values = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
  EXPECT_THROW(render_svg(map), ValueError);
}

}  // namespace
}  // namespace stkr::report::heat_map_test
