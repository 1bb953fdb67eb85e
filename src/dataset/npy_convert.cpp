#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "stkr/dataset/npy.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// IEEE 754 binary16.
double half_to_double(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const int fraction = bits & 0x3ff;
  double magnitude = 0.0;
  if (exponent == 0x1f) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, -24);
  } else {
    magnitude = std::ldexp(fraction + 1024, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

template <class T, class F>
void visit_as(const NpyArray& array, F&& f) {
  for (Index i = 0; i < array.header.elements; ++i) {
    T value;
    std::memcpy(&value, array.data.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
    f(i, value);
  }
}

// f(position, value) for every number, in its own type (halves as doubles).
template <class F>
void visit_numbers(const NpyArray& array, F&& f) {
  const std::size_t size = array.header.item_size;
  switch (array.header.kind) {
    case 'b':
      return visit_as<std::uint8_t>(array,
                                    [&](Index i, std::uint8_t v) { f(i, std::int32_t{v != 0}); });
    case 'i':
      if (size == 1) return visit_as<std::int8_t>(array, f);
      if (size == 2) return visit_as<std::int16_t>(array, f);
      if (size == 4) return visit_as<std::int32_t>(array, f);
      return visit_as<std::int64_t>(array, f);
    case 'u':
      if (size == 1) return visit_as<std::uint8_t>(array, f);
      if (size == 2) return visit_as<std::uint16_t>(array, f);
      if (size == 4) return visit_as<std::uint32_t>(array, f);
      return visit_as<std::uint64_t>(array, f);
    case 'f':
      if (size == 2) {
        return visit_as<std::uint16_t>(array,
                                       [&](Index i, std::uint16_t v) { f(i, half_to_double(v)); });
      }
      if (size == 4) return visit_as<float>(array, f);
      return visit_as<double>(array, f);
    default:
      throw DataError(fmt::format("{}: holds text (type '{}'), expected numbers", array.where,
                                  array.header.descr));
  }
}

template <class M>
M to_matrix(const NpyArray& array) {
  const std::vector<Index>& shape = array.header.shape;
  const Index rows = shape.empty() ? 1 : shape[0];
  Index cols = 1;
  for (std::size_t d = 1; d < shape.size(); ++d) cols *= shape[d];
  M matrix(rows, cols);
  visit_numbers(array, [&](Index i, auto value) {
    matrix.data()[i] = static_cast<typename M::Scalar>(value);
  });
  return matrix;
}

void append_utf8(std::string& text, char32_t c, const std::string& where) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
    throw DataError(fmt::format("{}: holds {:#x}, which is not a Unicode character", where,
                                static_cast<std::uint32_t>(c)));
  }
  const auto tail = [&](int shift) {
    text.push_back(static_cast<char>(0x80 | (c >> shift & 0x3f)));
  };
  if (c < 0x80) {
    text.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    text.push_back(static_cast<char>(0xc0 | c >> 6));
    tail(0);
  } else if (c < 0x10000) {
    text.push_back(static_cast<char>(0xe0 | c >> 12));
    tail(6);
    tail(0);
  } else {
    text.push_back(static_cast<char>(0xf0 | c >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string unicode_item(const NpyArray& array, std::size_t offset) {
  std::string text;
  std::size_t pending = 0;  // NULs: trailing ones are padding, inner ones are kept
  for (std::size_t i = 0; i < array.header.item_size; i += 4) {
    std::uint32_t c = 0;
    std::memcpy(&c, &array.data[offset + i], 4);
    if (c == 0) {
      ++pending;
      continue;
    }
    text.append(pending, '\0');
    pending = 0;
    append_utf8(text, static_cast<char32_t>(c), array.where);
  }
  return text;
}

std::string bytes_item(const NpyArray& array, std::size_t offset) {
  std::string text(reinterpret_cast<const char*>(&array.data[offset]), array.header.item_size);
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

// Malformed UTF-8 is read as Latin-1: a name is a name, and nothing is lost.
std::u32string decode_utf8(const std::string& text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80           ? 1
                               : (lead >> 5) == 0x6  ? 2
                               : (lead >> 4) == 0xe  ? 3
                               : (lead >> 3) == 0x1e ? 4
                                                     : 0;
    bool valid = length > 0 && i + length <= text.size();
    char32_t c = length == 1 ? lead : lead & (0xff >> (length + 1));
    for (std::size_t k = 1; valid && k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      valid = (next & 0xc0) == 0x80;
      c = c << 6 | (next & 0x3f);
    }
    valid = valid && c <= 0x10ffff && (c < 0xd800 || c >= 0xe000);
    result.push_back(valid ? c : lead);
    i += valid ? length : 1;
  }
  return result;
}

constexpr char kNativeOrder = std::endian::native == std::endian::little ? '<' : '>';

}  // namespace

Matrix NpyArray::as_matrix() const { return to_matrix<Matrix>(*this); }

MatrixF NpyArray::as_float_matrix() const { return to_matrix<MatrixF>(*this); }

std::vector<std::int64_t> NpyArray::as_integers() const {
  std::vector<std::int64_t> result(static_cast<std::size_t>(header.elements));
  visit_numbers(*this, [&](Index i, auto value) {
    bool whole = true;
    if constexpr (std::is_floating_point_v<decltype(value)>) {
      whole = std::abs(value) <= 9007199254740992.0 && std::trunc(value) == value;
    } else {
      whole = std::in_range<std::int64_t>(value);
    }
    if (!whole) {
      throw DataError(
          fmt::format("{}: entry {} is {}, expected a 64-bit integer", where, i, value));
    }
    result[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(value);
  });
  return result;
}

std::vector<std::string> NpyArray::as_strings() const {
  std::vector<std::string> result(static_cast<std::size_t>(header.elements));
  if (!is_text()) {
    visit_numbers(*this, [&](Index i, auto value) {
      result[static_cast<std::size_t>(i)] = fmt::format("{}", +value);
    });
    return result;
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t offset = i * header.item_size;
    result[i] = header.kind == 'U' ? unicode_item(*this, offset) : bytes_item(*this, offset);
  }
  return result;
}

template <>
std::string_view npy_descr<double>() {
  return kNativeOrder == '<' ? "<f8" : ">f8";
}
template <>
std::string_view npy_descr<float>() {
  return kNativeOrder == '<' ? "<f4" : ">f4";
}
template <>
std::string_view npy_descr<std::int64_t>() {
  return kNativeOrder == '<' ? "<i8" : ">i8";
}
template <>
std::string_view npy_descr<std::int32_t>() {
  return kNativeOrder == '<' ? "<i4" : ">i4";
}
template <>
std::string_view npy_descr<std::uint8_t>() {
  return "|u1";
}

NpyText npy_text(std::span<const std::string> texts) {
  std::vector<std::u32string> decoded;
  std::size_t longest = 1;
  for (const std::string& text : texts) {
    decoded.push_back(decode_utf8(text));
    longest = std::max(longest, decoded.back().size());
  }
  NpyText result{.descr = fmt::format("{}U{}", kNativeOrder, longest), .data = {}};
  result.data.resize(texts.size() * longest, U'\0');
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    std::copy(decoded[i].begin(), decoded[i].end(),
              result.data.begin() + static_cast<std::ptrdiff_t>(i * longest));
  }
  return result;
}

}  // namespace stkr
