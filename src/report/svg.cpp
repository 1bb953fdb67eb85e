#include "report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stkr::report {
namespace {

// Wider pictures keep a width at which their text is readable, and scroll.
constexpr double kFitsAPhone = 500.0;

// Two decimals, without trailing zeros.
std::string digits(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string stroke_of(const Stroke& stroke) {
  std::string text =
      fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", stroke.color, digits(stroke.width));
  if (stroke.opacity < 1.0) text += fmt::format(" stroke-opacity=\"{}\"", digits(stroke.opacity));
  if (stroke.dashed) text += " stroke-dasharray=\"6 4\"";
  return text;
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
        // Control characters are not allowed in SVG.
        escaped += (c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == 0x7f ? ' ' : c;
    }
  }
  return escaped;
}

Svg::Svg(double width, double height, std::string_view title)
    : width_(width), height_(height), title_(title) {}

void Svg::line(double x1, double y1, double x2, double y2, const Stroke& stroke) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>\n", digits(x1),
                       digits(y1), digits(x2), digits(y2), stroke_of(stroke));
}

void Svg::path(const std::vector<std::pair<double, double>>& points, const Stroke& stroke) {
  if (points.size() < 2) return;
  std::string places;
  for (const auto& [x, y] : points) {
    places += fmt::format("{}{},{}", places.empty() ? "" : " ", digits(x), digits(y));
  }
  body_ += fmt::format("<polyline fill=\"none\" stroke-linejoin=\"round\"{} points=\"{}\"/>\n",
                       stroke_of(stroke), places);
}

void Svg::rectangle(double x, double y, double width, double height, const std::string& fill,
                    double corner) {
  body_ +=
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" fill=\"{}\"/>\n",
                  digits(x), digits(y), digits(width), digits(height), digits(corner), fill);
}

void Svg::frame(double x, double y, double width, double height, const Stroke& stroke) {
  body_ +=
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\" fill=\"none\"{}/>\n",
                  digits(x), digits(y), digits(width), digits(height), stroke_of(stroke));
}

void Svg::marker(double x, double y, int shape, const std::string& color) {
  constexpr double r = 3.4;
  const auto polygon = [&](std::initializer_list<std::pair<double, double>> corners) {
    std::string places;
    for (const auto& [dx, dy] : corners) {
      places +=
          fmt::format("{}{},{}", places.empty() ? "" : " ", digits(x + dx * r), digits(y + dy * r));
    }
    body_ += fmt::format("<polygon points=\"{}\" fill=\"{}\"/>\n", places, color);
  };
  switch (shape % 5) {
    case 0:
      body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", digits(x),
                           digits(y), digits(r), color);
      break;
    case 1:
      polygon({{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}});
      break;
    case 2:
      polygon({{0, -1.2}, {1.1, 0.8}, {-1.1, 0.8}});
      break;
    case 3:
      polygon({{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}});
      break;
    default:
      polygon({{0, 1.2}, {1.1, -0.8}, {-1.1, -0.8}});
  }
}

void Svg::text(double x, double y, std::string_view text, const Lettering& lettering) {
  if (text.empty()) return;
  const std::string turn = lettering.turned != 0.0
                               ? fmt::format(" transform=\"rotate({} {} {})\"",
                                             digits(lettering.turned), digits(x), digits(y))
                               : "";
  body_ += fmt::format(
      "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"{}\"{}>{}</text>\n",
      digits(x), digits(y), digits(lettering.size), lettering.anchor, lettering.color, turn,
      escape_markup(text));
}

std::string Svg::finish() const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"100%\" "
      "style=\"max-width:{2}px;min-width:{3}px;height:auto\" font-family=\"sans-serif\" "
      "role=\"img\" aria-label=\"{4}\">\n{5}</svg>\n",
      digits(width_), digits(height_), digits(width_ * 1.25),
      digits(width_ > kFitsAPhone ? width_ * 0.7 : 0.0), escape_markup(title_), body_);
}

double Svg::text_width(std::string_view text, double size) {
  const auto characters =
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
  return 0.58 * size * static_cast<double>(characters);
}

}  // namespace stkr::report
