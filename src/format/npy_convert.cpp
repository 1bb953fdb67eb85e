#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "format/npy.hpp"
#include "format/utf8.hpp"
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

// Elements decoded at a time.
constexpr Index kChunk = 1 << 16;

// Converts the value to a T. Throws DataError unless an integer is whole and in range.
template <class T, class From>
T converted(From value, Index position, const std::string& where) {
  if constexpr (std::is_integral_v<T>) {
    bool fits = true;
    if constexpr (std::is_floating_point_v<From>) {
      constexpr double kExact = 9007199254740992.0;  // 2⁵³
      fits = std::abs(value) <= kExact && std::trunc(value) == value &&
             std::in_range<T>(static_cast<std::int64_t>(value));
    } else {
      fits = std::in_range<T>(value);
    }
    if (!fits) {
      throw DataError(fmt::format("{}: entry {} is {}, expected a {}-bit integer", where, position,
                                  +value, 8 * sizeof(T)));
    }
  }
  return static_cast<T>(value);
}

void append_utf8(std::string& text, char32_t c, const std::string& where) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
    throw DataError(fmt::format("{}: contains {:#x}, which is not a Unicode character", where,
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

std::string unicode_item(std::span<const std::byte> item, const std::string& where) {
  std::string text;
  std::size_t pending = 0;  // NULs: trailing ones are padding, inner ones are kept
  for (std::size_t i = 0; i < item.size(); i += 4) {
    std::uint32_t c = 0;
    std::memcpy(&c, &item[i], 4);
    if (c == 0) {
      ++pending;
      continue;
    }
    text.append(pending, '\0');
    pending = 0;
    append_utf8(text, static_cast<char32_t>(c), where);
  }
  return text;
}

std::string bytes_item(std::span<const std::byte> item, const std::string& where) {
  std::string text(reinterpret_cast<const char*>(item.data()), item.size());
  text.resize(text.find_last_not_of('\0') + 1);
  if (!is_utf8(text)) {
    throw DataError(
        fmt::format("{}: contains '{}', which is not UTF-8; save it as text, for example from "
                    "Latin-1 with numpy.char.decode(array, 'latin1')",
                    where, printable(text.substr(0, 40))));
  }
  return text;
}

// Calls f(character) for each character of a UTF-8 text. Malformed bytes are read as Latin-1, so
// that no name is lost.
template <class F>
void for_characters(std::string_view text, F&& f) {
  while (!text.empty()) {
    const std::size_t length = utf8_character(text);
    auto c = static_cast<char32_t>(static_cast<unsigned char>(text[0]));
    if (length > 1) c &= 0xffu >> (length + 1);
    for (std::size_t k = 1; k < length; ++k) {
      c = c << 6 | (static_cast<unsigned char>(text[k]) & 0x3f);
    }
    f(c);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

constexpr char kNativeOrder = std::endian::native == std::endian::little ? '<' : '>';

}  // namespace

NpyArray::NpyArray(NpyHeader header, std::unique_ptr<ByteSource> data, std::string where)
    : header_(std::move(header)), data_(std::move(data)), where_(std::move(where)) {}

bool NpyArray::is_integer() const {
  return header_.kind == 'i' || header_.kind == 'u' || header_.kind == 'b';
}

Index NpyArray::columns() const {
  Index columns = 1;
  for (std::size_t d = 1; d < shape().size(); ++d) columns *= shape()[d];
  return columns;
}

void NpyArray::expect_unread() const {
  if (done_ > 0) throw ValueError(fmt::format("{}: an array can be read only once", where_));
}

std::span<const std::byte> NpyArray::next_bytes(std::size_t count) {
  chunk_.resize(count);
  data_->read(chunk_);
  const std::size_t word = header_.kind == 'U' ? 4 : header_.item_size;
  if (header_.swapped && word > 1) {
    for (auto at = chunk_.begin(); at != chunk_.end(); at += static_cast<std::ptrdiff_t>(word)) {
      std::reverse(at, at + static_cast<std::ptrdiff_t>(word));
    }
  }
  return chunk_;
}

template <class T, class F>
void NpyArray::visit_as(Index count, F&& f) {
  for (const Index end = done_ + count; done_ < end;) {
    const Index now = std::min(kChunk, end - done_);
    const auto bytes = next_bytes(static_cast<std::size_t>(now) * sizeof(T));
    for (Index i = 0; i < now; ++i) {
      T value;
      std::memcpy(&value, &bytes[static_cast<std::size_t>(i) * sizeof(T)], sizeof(T));
      f(done_ + i, value);
    }
    done_ += now;
  }
}

template <class F>
void NpyArray::visit(Index count, F&& f) {
  const std::size_t size = header_.item_size;
  switch (header_.kind) {
    case 'b':
      return visit_as<std::uint8_t>(count,
                                    [&](Index i, std::uint8_t v) { f(i, std::int32_t{v != 0}); });
    case 'i':
      if (size == 1) return visit_as<std::int8_t>(count, f);
      if (size == 2) return visit_as<std::int16_t>(count, f);
      if (size == 4) return visit_as<std::int32_t>(count, f);
      return visit_as<std::int64_t>(count, f);
    case 'u':
      if (size == 1) return visit_as<std::uint8_t>(count, f);
      if (size == 2) return visit_as<std::uint16_t>(count, f);
      if (size == 4) return visit_as<std::uint32_t>(count, f);
      return visit_as<std::uint64_t>(count, f);
    case 'f':
      if (size == 2) {
        return visit_as<std::uint16_t>(count,
                                       [&](Index i, std::uint16_t v) { f(i, half_to_double(v)); });
      }
      if (size == 4) return visit_as<float>(count, f);
      return visit_as<double>(count, f);
    default:
      throw DataError(
          fmt::format("{}: contains text (type '{}'), expected numbers", where_, header_.descr));
  }
}

template <class T>
void NpyArray::read(std::span<T> out) {
  const auto count = static_cast<Index>(out.size());
  if (count > header_.elements - done_) {
    throw DataError(fmt::format("{}: has {} entries, expected at least {}", where_,
                                header_.elements, done_ + count));
  }
  const char own_kind = std::is_floating_point_v<T> ? 'f' : 'i';
  if (header_.kind == own_kind && header_.item_size == sizeof(T) && !header_.swapped) {
    const auto bytes = std::as_writable_bytes(out);
    const auto store = [&](std::uint64_t offset, std::span<const std::byte> part) {
      std::memcpy(&bytes[offset], part.data(), part.size());
    };
    if (!data_->read_parts(bytes.size(), store)) data_->read(bytes);
    done_ += count;
    return;
  }
  if constexpr (std::is_same_v<T, double>) {
    if (header_.kind == 'f' && header_.item_size == sizeof(float) && !header_.swapped) {
      const auto store = [&](std::uint64_t offset, std::span<const std::byte> part) {
        T* to = &out[offset / sizeof(float)];
        for (std::size_t at = 0; at < part.size(); at += sizeof(float), ++to) {
          float value;
          std::memcpy(&value, &part[at], sizeof(float));
          *to = value;
        }
      };
      if (data_->read_parts(out.size() * sizeof(float), store)) {
        done_ += count;
        return;
      }
    }
  }
  T* next = out.data();
  visit(count, [&](Index i, auto value) { *next++ = converted<T>(value, i, where_); });
}

template void NpyArray::read(std::span<double>);
template void NpyArray::read(std::span<float>);
template void NpyArray::read(std::span<std::int64_t>);
template void NpyArray::read(std::span<std::int32_t>);

template <class T>
void NpyArray::fill(T* out) {
  expect_unread();
  if (!header_.fortran_order || shape().size() < 2) {
    read(std::span<T>(out, static_cast<std::size_t>(header_.elements)));
    return;
  }
  // The first index moves fastest in the file, the last one in the result.
  const std::size_t dimensions = shape().size();
  std::vector<Index> stride(dimensions, 1);
  for (std::size_t d = dimensions - 1; d-- > 0;) stride[d] = stride[d + 1] * shape()[d + 1];
  std::vector<Index> at(dimensions, 0);
  Index to = 0;
  visit(header_.elements, [&](Index i, auto value) {
    out[to] = converted<T>(value, i, where_);
    for (std::size_t d = 0; d < dimensions; ++d) {
      to += stride[d];
      if (++at[d] < shape()[d]) break;
      to -= stride[d] * shape()[d];
      at[d] = 0;
    }
  });
}

Matrix NpyArray::as_matrix() {
  Matrix matrix(rows(), columns());
  fill(matrix.data());
  return matrix;
}

MatrixF NpyArray::as_float_matrix() {
  MatrixF matrix(rows(), columns());
  fill(matrix.data());
  return matrix;
}

Matrix NpyArray::next_rows(Index most) {
  if (header_.fortran_order && shape().size() > 1) {
    if (done_ == 0) fortran_ = as_matrix();
    const Index count = std::min(most, fortran_.rows() - fortran_row_);
    fortran_row_ += count;
    return fortran_.middleRows(fortran_row_ - count, count);
  }
  const Index columns = this->columns();
  const Index left = columns == 0 ? 0 : (header_.elements - done_) / columns;
  Matrix matrix(std::min(most, left), columns);
  read(std::span<double>(matrix.data(), static_cast<std::size_t>(matrix.size())));
  return matrix;
}

std::vector<std::int64_t> NpyArray::as_integers() {
  std::vector<std::int64_t> result(static_cast<std::size_t>(header_.elements));
  fill(result.data());
  return result;
}

std::vector<std::string> NpyArray::as_strings() {
  expect_unread();
  std::vector<std::string> result(static_cast<std::size_t>(header_.elements));
  if (!is_text()) {
    visit(header_.elements, [&](Index i, auto value) {
      result[static_cast<std::size_t>(i)] = fmt::format("{}", +value);
    });
    return result;
  }
  for (std::string& text : result) {
    const auto item = next_bytes(header_.item_size);
    text = header_.kind == 'U' ? unicode_item(item, where_) : bytes_item(item, where_);
    ++done_;
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
  std::size_t longest = 1;
  for (const std::string& text : texts) {
    std::size_t length = 0;
    for_characters(text, [&](char32_t) { ++length; });
    longest = std::max(longest, length);
  }
  NpyText result{.descr = fmt::format("{}U{}", kNativeOrder, longest), .data = {}};
  result.data.resize(texts.size() * longest, U'\0');
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto to = result.data.begin() + static_cast<std::ptrdiff_t>(i * longest);
    for_characters(texts[i], [&](char32_t c) { *to++ = c; });
  }
  return result;
}

}  // namespace stkr
