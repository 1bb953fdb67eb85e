#include "inline_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "stkr/error.hpp"

namespace stkr::app {
namespace {

// Wider pictures keep a width at which their text is readable, and scroll.
constexpr int kFitsAPhone = 500;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// The number after `name="`, or 0.
int attribute(std::string_view tag, std::string_view name) {
  const std::size_t at = tag.find(fmt::format(" {}=\"", name));
  int value = 0;
  if (at == std::string_view::npos) return value;
  const char* digits = tag.data() + at + name.size() + 3;
  std::from_chars(digits, tag.data() + tag.size(), value);
  return value;
}

// FNV-1a: equal pictures may share ids, different ones should not.
std::string id_prefix(std::string_view svg) {
  std::uint32_t hash = 2166136261u;
  for (const char c : svg) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return fmt::format("p{:08x}", hash);
}

void restyle(std::string& tag, const std::string& prefix) {
  for (const std::string_view ink : {"\"black\"", "'black'", "\"rgb(1,2,3)\"",
                                     "\"rgb(  1,   2,   3)\"", "'rgb(  1,   2,   3)'"}) {
    replace_all(tag, ink, "\"currentColor\"");
  }
  replace_all(tag, "id='gp", fmt::format("id='{}gp", prefix));
  replace_all(tag, "id=\"gnuplot", fmt::format("id=\"{}gnuplot", prefix));
  replace_all(tag, "xlink:href='#gp", fmt::format("xlink:href='#{}gp", prefix));
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string inline_svg(std::string_view svg, std::string_view title) {
  const std::string prefix = id_prefix(svg);
  std::size_t at = svg.find("<svg");
  if (at == std::string_view::npos) throw WriteError("gnuplot returned no picture");
  const std::size_t head_end = svg.find('>', at);
  std::string head(svg.substr(at, head_end - at));
  replace_all(head, "\n", " ");
  const int width = attribute(head, "width");
  const int height = attribute(head, "height");
  std::string result = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
      "viewBox=\"0 0 {0} {1}\" width=\"100%\" "
      "style=\"max-width:{2}px;min-width:{4}px;height:auto\" role=\"img\" "
      "aria-label=\"{3}\">",
      width, height, width * 5 / 4, escape_markup(title), width > kFitsAPhone ? width * 7 / 10 : 0);
  // Text is copied unchanged; only tags between < and > are changed. gnuplot escapes < in text, and
  // puts no > into attributes.
  at = head_end + 1;
  while (at < svg.size()) {
    const std::size_t open = std::min(svg.find('<', at), svg.size());
    result += svg.substr(at, open - at);
    if (open == svg.size()) break;
    const std::size_t close = std::min(svg.find('>', open), svg.size() - 1);
    std::string tag(svg.substr(open, close + 1 - open));
    at = close + 1;
    if (tag == "<title>") {  // "gnuplot_plot_1", which browsers would show as a tooltip
      at = std::min(svg.find("</title>", at), svg.size() - 8) + 8;
      continue;
    }
    // Empty groups make up half of the file.
    const std::size_t next = svg.find_first_not_of(" \t\n", at);
    if (tag.starts_with("<g ") && next != std::string_view::npos &&
        svg.substr(next).starts_with("</g>")) {
      at = next + 4;
      continue;
    }
    restyle(tag, prefix);
    result += tag;
  }
  return result;
}

}  // namespace stkr::app
