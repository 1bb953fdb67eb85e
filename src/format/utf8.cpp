#include "format/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "stkr/error.hpp"

namespace stkr {
namespace {

unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// U+0000 to U+001F, U+007F, and U+0080 to U+009F, which some terminals also interpret.
bool is_control(std::string_view character) {
  const unsigned char lead = byte_at(character, 0);
  return lead < 0x20 || lead == 0x7f || (lead == 0xc2 && byte_at(character, 1) < 0xa0);
}

}  // namespace

std::size_t utf8_character(std::string_view text) {
  if (text.empty()) return 0;
  const unsigned char lead = byte_at(text, 0);
  if (lead < 0x80) return 1;
  const std::size_t length = (lead >> 5) == 0x6    ? 2
                             : (lead >> 4) == 0xe  ? 3
                             : (lead >> 3) == 0x1e ? 4
                                                   : 0;
  if (length == 0 || length > text.size()) return 0;
  std::uint32_t code = lead & (0xff >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte_at(text, k) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte_at(text, k) & 0x3f);
  }
  // Overlong forms and surrogates are invalid.
  constexpr std::uint32_t kLeast[] = {0x80, 0x800, 0x10000};
  const bool valid =
      code >= kLeast[length - 2] && code <= 0x10ffff && (code < 0xd800 || code >= 0xe000);
  return valid ? length : 0;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_character(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_character(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length > 0 && !is_control(character)) {
      result += character;
    } else if (character == "\n") {
      result += "\\n";
    } else if (character == "\t") {
      result += "\\t";
    } else {
      for (std::size_t i = 0; i < character.size(); ++i) {
        result += fmt::format("\\x{:02x}", byte_at(character, i));
      }
    }
    text.remove_prefix(character.size());
  }
  return result;
}

void check_name(std::string_view name, const std::string& where) {
  if (is_utf8(name)) return;
  constexpr std::size_t kShown = 40;
  throw DataError(fmt::format(
      "{}: '{}' is not UTF-8, the encoding of names; convert the file, for example from Latin-1 "
      "with iconv -f latin1 -t utf-8",
      where, printable(name.substr(0, kShown))));
}

}  // namespace stkr
