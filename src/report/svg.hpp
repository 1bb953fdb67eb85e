#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stkr::report {

// Escapes text for HTML and SVG, in elements and in quoted attributes.
std::string escape_markup(std::string_view text);

// The text color around a picture: readable on light and dark backgrounds.
inline constexpr const char* kInk = "currentColor";

struct Stroke {
  std::string color = kInk;
  double width = 1.0;
  double opacity = 1.0;
  bool dashed = false;
};

struct Lettering {
  std::string anchor = "middle";  // "start", "middle" or "end" of the text is at x
  double size = 12.0;
  std::string color = kInk;
  double turned = 0.0;  // degrees, clockwise
};

// Writes an <svg> element for a page or a file. It scales with the page; its title is read by
// screen readers. Coordinates are pixels from the upper left corner.
class Svg {
 public:
  Svg(double width, double height, std::string_view title);

  void line(double x1, double y1, double x2, double y2, const Stroke& stroke = {});
  void path(const std::vector<std::pair<double, double>>& points, const Stroke& stroke);
  void rectangle(double x, double y, double width, double height, const std::string& fill,
                 double corner = 0.0);
  void frame(double x, double y, double width, double height, const Stroke& stroke);
  void marker(double x, double y, int shape, const std::string& color);  // shapes from 0, repeating
  void text(double x, double y, std::string_view text, const Lettering& lettering = {});

  std::string finish() const;

  // The approximate width of a text.
  static double text_width(std::string_view text, double size = 12.0);

 private:
  double width_, height_;
  std::string title_;
  std::string body_;
};

}  // namespace stkr::report
