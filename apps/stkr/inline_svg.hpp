#pragma once

#include <string>
#include <string_view>

namespace stkr::app {

// Escapes text for HTML and SVG, in elements and in quoted attributes.
std::string escape_markup(std::string_view text);

// Adapts gnuplot's SVG for use in an HTML page or as a file: kInk and black become the surrounding
// text color, so that it is readable on light and dark backgrounds; it scales with the page; its
// ids differ from those of other pictures; `title` is read by screen readers.
std::string inline_svg(std::string_view svg, std::string_view title);

}  // namespace stkr::app
