#include "report/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stkr/error.hpp"

namespace stkr::report {
namespace {

constexpr Index kMostPixels = 64;  // in each direction

void append_number(std::string& bytes, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift & 0xff);
}

// CRC-32 of ISO 3309, as in the PNG specification, annex D.
std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int k = 0; k < 8; ++k) crc = crc & 1u ? 0xedb88320u ^ crc >> 1 : crc >> 1;
  }
  return ~crc;
}

void append_chunk(std::string& png, const std::string& type, const std::string& content) {
  append_number(png, static_cast<std::uint32_t>(content.size()));
  png += type + content;
  append_number(png, crc32(type + content));
}

// A zlib stream (RFC 1950) of stored blocks: small pictures gain little by compression.
std::string stored(const std::string& bytes) {
  constexpr std::size_t kMost = 65535;
  std::string stream = "\x78\x01";
  std::uint32_t a = 1, b = 0;  // Adler-32
  for (const char c : bytes) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  for (std::size_t at = 0; at < bytes.size(); at += kMost) {
    const std::size_t size = std::min(kMost, bytes.size() - at);
    stream += at + size == bytes.size() ? '\1' : '\0';
    for (const std::size_t number : {size, ~size}) {
      stream += static_cast<char>(number & 0xff);
      stream += static_cast<char>(number >> 8 & 0xff);
    }
    stream.append(bytes, at, size);
  }
  append_number(stream, b << 16 | a);
  return stream;
}

std::string base64(const std::string& bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[at + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? kDigits[group >> (18 - 6 * k) & 63u] : '=';
    }
  }
  return text;
}

}  // namespace

PictureShape picture_shape(std::string_view text) {
  std::array<Index, 3> numbers{0, 0, 1};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  std::size_t count = 0;
  for (; count < numbers.size(); ++count) {
    const auto [after, error] = std::from_chars(at, end, numbers[count]);
    if (error != std::errc()) break;
    at = after;
    if (at == end) {
      ++count;
      break;
    }
    if (*at != 'x' || at + 1 == end) break;
    ++at;
  }
  const PictureShape shape{numbers[0], numbers[1], numbers[2]};
  const bool in_range = shape.height >= 1 && shape.width >= 1 && shape.height <= 10'000 &&
                        shape.width <= 10'000 && (shape.channels == 1 || shape.channels == 3);
  if (at != end || count < 2 || !in_range) {
    throw ValueError(fmt::format(
        "'{}' is not the shape of a picture; expected HEIGHTxWIDTH, as in 28x28, or 32x32x3",
        text));
  }
  return shape;
}

std::string picture_source(const Vector& values, const PictureShape& shape) {
  if (values.size() != shape.features()) {
    throw ShapeError(fmt::format("a sample has {} features, but a picture of {}x{}x{} has {}",
                                 values.size(), shape.height, shape.width, shape.channels,
                                 shape.features()));
  }
  // Each pixel is the mean of a square of `reduce` × `reduce` pixels.
  const Index reduce = (std::max(shape.height, shape.width) + kMostPixels - 1) / kMostPixels;
  const Index height = (shape.height + reduce - 1) / reduce;
  const Index width = (shape.width + reduce - 1) / reduce;
  const double low = values.minCoeff(), range = values.maxCoeff() - low;
  std::string pixels;
  for (Index y = 0; y < height; ++y) {
    pixels += '\0';  // no filter
    for (Index x = 0; x < width; ++x) {
      for (Index c = 0; c < shape.channels; ++c) {
        double sum = 0.0;
        Index count = 0;
        for (Index v = y * reduce; v < std::min((y + 1) * reduce, shape.height); ++v) {
          for (Index u = x * reduce; u < std::min((x + 1) * reduce, shape.width); ++u, ++count) {
            sum += values[(v * shape.width + u) * shape.channels + c];
          }
        }
        const double share = range > 0.0 ? (sum / static_cast<double>(count) - low) / range : 0.5;
        pixels += static_cast<char>(std::lround(255.0 * std::clamp(share, 0.0, 1.0)));
      }
    }
  }
  std::string header;
  append_number(header, static_cast<std::uint32_t>(width));
  append_number(header, static_cast<std::uint32_t>(height));
  header += '\x08';                               // bits
  header += shape.channels == 3 ? '\x02' : '\0';  // color or gray
  header.append(3, '\0');                         // deflate, filter by row, not interlaced
  std::string png = "\x89PNG\r\n\x1a\n";
  append_chunk(png, "IHDR", header);
  append_chunk(png, "IDAT", stored(pixels));
  append_chunk(png, "IEND", "");
  return "data:image/png;base64," + base64(png);
}

}  // namespace stkr::report
