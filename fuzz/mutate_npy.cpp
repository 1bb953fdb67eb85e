// Mutates .npy images and keeps the header length, and mostly the data length, consistent.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

#include "mutators.hpp"

namespace stkr::fuzz {
namespace {

constexpr std::string_view kMagic{"\x93NUMPY\1\0", 8};
constexpr std::size_t kPrefix = 10;

struct Image {
  std::string header;  // the dictionary
  std::string data;
};

std::string image_text(const Image& image) {
  std::string header = image.header;
  header.resize((kPrefix + header.size() + 1 + 63) / 64 * 64 - kPrefix - 1, ' ');
  header.push_back('\n');
  std::string text(kMagic);
  text.push_back(static_cast<char>(header.size()));
  text.push_back(static_cast<char>(header.size() >> 8));
  return text + header + image.data;
}

std::vector<std::uint64_t> shape_of(std::string_view header) {
  std::vector<std::uint64_t> shape;
  const std::size_t open = header.find('('), close = header.find(')');
  if (open == std::string_view::npos || close == std::string_view::npos) return shape;
  for (std::size_t at = open + 1; at < close;) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(&header[at], &header[close], value);
    if (error != std::errc()) return shape;
    shape.push_back(value);
    at = std::min(header.find_first_not_of(", ", static_cast<std::size_t>(end - header.data())),
                  close);
  }
  return shape;
}

std::uint64_t item_size(std::string_view header) {
  const std::size_t quote = header.find("'descr': '");
  if (quote == std::string_view::npos) return 1;
  const std::string_view descr = header.substr(quote + 10, 8);
  std::uint64_t size = 1;
  const std::size_t digits = descr.find_first_of("0123456789");
  if (digits != std::string_view::npos) {
    std::from_chars(descr.data() + digits, descr.data() + descr.size(), size);
  }
  return descr.find('U') < digits ? 4 * size : size;
}

std::string header_text(std::string_view descr, bool fortran,
                        const std::vector<std::uint64_t>& shape) {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}{}), }}", descr,
                     fortran ? "True" : "False", fmt::join(shape, ", "),
                     shape.size() == 1 ? "," : "");
}

// A header with another type or shape.
std::string other_header(const Image& image, Random& random) {
  constexpr std::array kTypes{"<f8", "<f4", "<f2", "<i8", "<i4", "<i2", "|i1", "|u1", "<u4",
                              "<u8", "|b1", ">f8", ">i4", "<U1", "<U5", "|S3", "|O",  "<c16"};
  std::vector<std::uint64_t> shape = shape_of(image.header);
  const std::size_t quote = image.header.find("'descr': '");
  std::string descr = "<f8";
  if (quote != std::string::npos) {
    const std::size_t start = quote + 10;
    descr = image.header.substr(start, image.header.find('\'', start) - start);
  }
  bool fortran = image.header.find("True") != std::string::npos;
  switch (pick(random, 6)) {
    case 0:
      fortran = !fortran;
      break;
    case 1:
      shape.push_back(pick(random, 4));
      break;
    case 2:
      if (!shape.empty()) shape.pop_back();
      break;
    case 3:
      if (!shape.empty()) {
        constexpr std::array<std::uint64_t, 9> kSizes{
            0, 1, 2, 3, 7, 65536, 2147483648, 4294967297, std::uint64_t{1} << 62};
        shape[pick(random, shape.size())] = kSizes[pick(random, kSizes.size())];
      }
      break;
    default:
      descr = kTypes[pick(random, kTypes.size())];
  }
  return header_text(descr, fortran, shape);
}

}  // namespace

std::string mutated_npy(std::string image, Random& random, std::size_t most) {
  if (!image.starts_with(kMagic) || image.size() < kPrefix) return mutated_bytes(image, most);
  const std::size_t length =
      static_cast<std::uint8_t>(image[8]) + std::size_t{256} * static_cast<std::uint8_t>(image[9]);
  if (kPrefix + length > image.size()) return mutated_bytes(image, most);
  Image parts{image.substr(kPrefix, length), image.substr(kPrefix + length)};
  parts.header.erase(parts.header.find_last_not_of(" \n") + 1);
  switch (pick(random, 4)) {
    case 0:
      parts.header = other_header(parts, random);
      break;
    case 1:
      parts.header = mutated_bytes(parts.header, 200);
      break;
    default:
      parts.data = mutated_bytes(parts.data, parts.data.size() + 64);
  }
  // Mostly as many bytes as the header declares: otherwise no reader gets past it.
  std::uint64_t bytes = item_size(parts.header);
  for (const std::uint64_t extent : shape_of(parts.header)) {
    bytes = extent == 0 || bytes > (std::uint64_t{1} << 40) / extent ? bytes * (extent == 0 ? 0 : 1)
                                                                     : bytes * extent;
  }
  if (bytes <= most && pick(random, 8) != 0) parts.data.resize(bytes);
  return image_text(parts);
}

}  // namespace stkr::fuzz
