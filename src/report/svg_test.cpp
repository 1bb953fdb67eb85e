#include "report/svg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stkr::report::svg_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Svg, EscapesMarkup) {
  EXPECT_EQ(escape_markup("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(escape_markup(std::string("a\x01\x7f z\n", 6)), "a   z\n");
}

TEST(Svg, ScalesAndTakesTheColorAroundIt) {
  Svg svg(480, 320.5, "β > 0");
  svg.line(0, 0, 10.25, 3);
  svg.text(1, 2, "<b>", {.anchor = "end", .turned = -90});
  const std::string text = svg.finish();
  EXPECT_THAT(text, StartsWith("<svg "));
  EXPECT_THAT(text,
              AllOf(HasSubstr("viewBox=\"0 0 480 320.5\" width=\"100%\""),
                    HasSubstr("aria-label=\"β &gt; 0\""), HasSubstr("stroke=\"currentColor\""),
                    HasSubstr("x2=\"10.25\""), HasSubstr(">&lt;b&gt;</text>"),
                    HasSubstr("rotate(-90 1 2)"), Not(HasSubstr("<b>"))));
}

TEST(Svg, KeepsWidePicturesReadable) {
  EXPECT_THAT(Svg(400, 100, "").finish(), HasSubstr("min-width:0px"));
  EXPECT_THAT(Svg(1000, 100, "").finish(), HasSubstr("min-width:700px"));
}

TEST(Svg, DrawsEveryShape) {
  Svg svg(10, 10, "");
  for (int shape = 0; shape < 6; ++shape) svg.marker(5, 5, shape, "#123456");
  svg.path({{1, 2}, {3, 4}}, {.dashed = true});
  svg.path({{1, 2}}, {});  // a point is no line
  svg.rectangle(1, 2, 3, 4, "red", 1);
  svg.frame(1, 2, 3, 4, {.opacity = 0.5});
  const std::string text = svg.finish();
  EXPECT_THAT(text, AllOf(HasSubstr("<circle"), HasSubstr("<polygon"),
                          HasSubstr("points=\"1,2 3,4\""), HasSubstr("stroke-dasharray"),
                          HasSubstr("rx=\"1\" fill=\"red\""), HasSubstr("stroke-opacity=\"0.5\"")));
  EXPECT_EQ(text.find("<polyline"), text.rfind("<polyline"));
}

TEST(Svg, CountsCharactersNotBytes) {
  EXPECT_EQ(Svg::text_width("η"), Svg::text_width("x"));
  EXPECT_EQ(Svg::text_width("abc", 24), 2 * Svg::text_width("abc", 12));
}

}  // namespace
}  // namespace stkr::report::svg_test
