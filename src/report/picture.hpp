#pragma once

#include <string>
#include <string_view>

#include "stkr/matrix.hpp"

namespace stkr::report {

// How the features of a sample form a picture: rows of pixels, each with one value (gray) or three
// (red, green, blue).
struct PictureShape {
  Index height = 0;
  Index width = 0;
  Index channels = 1;

  Index features() const { return height * width * channels; }
};

// Parses "28x28" or "32x32x3" (height, width, channels). Throws ValueError for anything else.
PictureShape picture_shape(std::string_view text);

// An <img> source: a PNG of the values, scaled so that the smallest is black and the largest white.
// Pictures of more than 64 pixels in a direction are reduced. Throws ShapeError unless there is one
// value per channel of every pixel.
std::string picture_source(const Vector& values, const PictureShape& shape);

}  // namespace stkr::report
