#pragma once

#include <string>
#include <string_view>

namespace stkr::app {

// Text for HTML and SVG, in elements and in quoted attributes.
std::string escape_markup(std::string_view text);

// gnuplot's SVG made fit to stand within an HTML page, or alone in a file: kInk and black become
// the color of the text around it, so that it can be read on light and on dark; it scales with the
// page; its ids differ from those of other pictures; `title` is what a screen reader says.
std::string inline_svg(std::string_view svg, std::string_view title);

}  // namespace stkr::app
