#include "inline_svg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stkr/error.hpp"

namespace stkr::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(InlineSvg, EscapesMarkup) {
  EXPECT_EQ(escape_markup("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
}

TEST(InlineSvg, TakesTheColorOfTheTextAroundItAndScales) {
  const std::string svg = inline_svg(
      "<?xml version=\"1.0\"?>\n<svg \n width=\"480\" height=\"320\"\n viewBox=\"0 0 480 320\">\n"
      "<title>Gnuplot</title><g fill=\"none\" color=\"black\">\n</g>"
      "<path id='gpPt1' stroke='rgb(  1,   2,   3)'/><use xlink:href='#gpPt1'/>"
      "<g id=\"gnuplot_canvas\"><text fill=\"rgb(1,2,3)\">\"black\" and id='gp</text></g></svg>",
      "β > 0");
  EXPECT_THAT(svg, StartsWith("<svg "));
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 480 320\" width=\"100%\""));
  EXPECT_THAT(svg, HasSubstr("aria-label=\"β &gt; 0\""));
  EXPECT_THAT(svg, HasSubstr("stroke=\"currentColor\""));
  EXPECT_THAT(svg, HasSubstr("<text fill=\"currentColor\">\"black\" and id='gp</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("<title>")));
  EXPECT_THAT(svg, Not(HasSubstr("rgb(")));
  EXPECT_THAT(svg, Not(HasSubstr("fill=\"none\"")));  // the empty group
  EXPECT_THAT(svg, Not(HasSubstr("'#gpPt1'")));
  // The reference matches the id.
  const std::size_t id = svg.find("<path id='") + 10;
  const std::string name = svg.substr(id, svg.find('\'', id) - id);
  EXPECT_THAT(svg, HasSubstr("xlink:href='#" + name + "'"));
}

TEST(InlineSvg, RefusesWhatIsNoPicture) {
  EXPECT_THROW(inline_svg("", ""), WriteError);
  EXPECT_THROW(inline_svg("no picture", ""), WriteError);
}

}  // namespace
}  // namespace stkr::app
