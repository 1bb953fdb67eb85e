#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stkr::detail {

inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const std::size_t start = text.find_first_not_of(kSpace);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kSpace) - start + 1);
}

// The whole text as a number, independent of the locale; accepts "nan" and "inf", but not
// hexadecimal.
inline std::optional<double> parse_number(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // from_chars does not distinguish underflow, which is zero, from overflow, which is no number.
    const std::size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && exponent + 1 < text.size() &&
                      text[exponent + 1] == '-';
    return tiny ? std::optional(text[0] == '-' ? -0.0 : 0.0) : std::nullopt;
  }
  if (error != std::errc()) return std::nullopt;
  return value;
}

// Returns whether a text has the syntax of a number, even if it is out of range.
inline bool looks_like_number(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error != std::errc::invalid_argument && end == text.data() + text.size();
}

// Returns whether a cell has no value: it is empty, or a missing value of Python, R or databases.
inline bool is_missing(std::string_view cell) {
  cell = trimmed(cell);
  for (const std::string_view mark : {"", "NA", "N/A", "<NA>", "#N/A", "None"}) {
    if (cell == mark) return true;
  }
  const auto is = [&](std::string_view lower) {
    return std::equal(cell.begin(), cell.end(), lower.begin(), lower.end(),
                      [](char a, char b) { return (a | 0x20) == b; });
  };
  if (is("null")) return true;
  // "-nan" and "nan(1)", too, as C prints them: every text that is read as the number NaN.
  const std::size_t letter = cell.find_first_not_of("+-");
  if (letter > 1 || (cell[letter] | 0x20) != 'n') return false;
  const std::optional<double> value = parse_number(cell);
  return value && std::isnan(*value);
}

// The same with other marks, exactly as written; an empty cell is always missing. No marks: the
// usual ones.
inline bool is_missing(std::string_view cell, std::span<const std::string> marks) {
  if (marks.empty()) return is_missing(cell);
  cell = trimmed(cell);
  return cell.empty() || std::find(marks.begin(), marks.end(), cell) != marks.end();
}

inline std::optional<std::int64_t> parse_integer(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The largest magnitude up to which every integer is a double: 2⁵³.
inline constexpr double kMostExact = 9007199254740992.0;

// The integer that a number is, if it is exact.
inline std::optional<std::int64_t> whole(double number) {
  if (!(std::abs(number) <= kMostExact) || std::trunc(number) != number) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

// An integer, also if it is written as 3.0.
inline std::optional<std::int64_t> parse_whole(std::string_view text) {
  if (const auto integer = parse_integer(text)) return integer;
  const auto number = parse_number(text);
  return number ? whole(*number) : std::nullopt;
}

// The shortest text that reads back as the same number.
inline std::string number_text(double value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, result.ptr};
}

// The same for a regression target. Beyond 2⁵³ it has an exponent: digits alone would be read as an
// integer, and perhaps as a class.
inline std::string target_text(double value) {
  if (!(std::abs(value) > kMostExact)) return number_text(value);
  char buffer[32];
  const auto result =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  return {buffer, result.ptr};
}

}  // namespace stkr::detail
