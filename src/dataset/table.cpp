#include "dataset/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/number_text.hpp"
#include "format/utf8.hpp"
#include "stkr/error.hpp"

namespace stkr::detail {
namespace {

// Returns whether a first line is data rather than names: numbers, some of which may be too large
// or missing. pandas writes an empty name above its row index, followed by 0, 1, ... if the columns
// have no names.
bool is_data(const std::vector<std::string>& fields, char separator) {
  const bool numbers = std::all_of(fields.begin(), fields.end(), [&](const std::string& field) {
    return is_missing(field) || looks_like_number(field) ||
           (separator == ';' && has_decimal_comma(field));
  });
  if (!numbers || fields.size() < 2 || !trimmed(fields[0]).empty()) return numbers;
  for (std::size_t c = 1; c < fields.size(); ++c) {
    if (trimmed(fields[c]) != std::to_string(c - 1)) return true;
  }
  return false;
}

// How a line with text and numbers, at least as many numbers, may be read as a header.
enum class NumericNames { none, possible, unlikely };

// Years and other ascending whole numbers are names of columns now and then; anything else is not.
NumericNames numeric_names(const std::vector<std::string>& fields) {
  std::size_t numbers = 0;
  bool ascending = true;
  std::optional<std::int64_t> last;
  for (const std::string& field : fields) {
    if (!looks_like_number(field)) continue;
    ++numbers;
    const auto whole = parse_integer(field);
    ascending = ascending && whole && (!last || *whole > *last);
    last = whole;
  }
  if (2 * numbers < fields.size() || numbers == 0) return NumericNames::none;
  return ascending ? NumericNames::possible : NumericNames::unlikely;
}

}  // namespace

bool reads_as_header(const std::vector<std::string>& names) {
  return !is_data(names, ',') && numeric_names(names) != NumericNames::unlikely;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kMost = 40;
  if (text.size() <= kMost) return printable(text);
  std::size_t end = kMost;  // not within a character
  while (end > kMost - 4 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return printable(text.substr(0, end)) + "...";
}

void check_decimals(const std::string& path, std::size_t comma_line, std::size_t point_line) {
  if (comma_line == 0 || point_line == 0) return;
  throw DataError(fmt::format(
      "{}: line {} has a number with a decimal comma, but line {} one with a decimal point; write "
      "all numbers in the same way",
      path, comma_line, point_line));
}

Table::Table(const std::filesystem::path& path, std::optional<bool> header,
             std::span<const std::string> missing)
    : records_(path), marks_(missing.begin(), missing.end()) {
  numeric_mark_ = std::any_of(marks_.begin(), marks_.end(),
                              [](const std::string& mark) { return looks_like_number(mark); });
  read_header(header);
}

void Table::read_header(std::optional<bool> wanted) {
  if (!records_.next()) throw DataError(fmt::format("{}: holds no text", path()));
  const std::vector<std::string> first = records_.fields();
  header_ = wanted.value_or(!is_data(first, records_.separator()));
  for (std::size_t c = 0; c < first.size(); ++c) {
    names_.push_back(header_ ? std::string(trimmed(first[c])) : std::to_string(c));
    check_utf8(names_.back());
  }
  pending_ = !header_;
  if (!header_) return;
  if (!wanted) {
    const NumericNames numeric = numeric_names(first);
    const auto shown = std::find_if(first.begin(), first.end(),
                                    [](const std::string& f) { return looks_like_number(f); });
    if (numeric == NumericNames::unlikely) {
      throw DataError(fmt::format(
          "{}: holds numbers, such as '{}': is there no header? Say --no-header if it is a sample "
          "(columns are then numbered from 0), or --header if these are the names of columns",
          place(), shortened(*shown)));
    }
    if (numeric == NumericNames::possible && first.size() > 1 && !trimmed(first[0]).empty()) {
      notes_.push_back(fmt::format(
          "the first line is read as the names of columns, though it holds numbers such as '{}'; "
          "if it is a sample, say --no-header",
          shortened(*shown)));
    }
  }
  do {
    if (!records_.next()) {
      ended_ = true;
      return;
    }
  } while (records_.blank() && names_.size() > 1);
  pending_ = true;
  const std::vector<std::string>& line = records_.fields();
  const bool row_names = line.size() == names_.size() + 1 &&
                         (records_.quoted(0) || !looks_like_number(line[0])) &&
                         !trimmed(line.back()).empty();
  if (row_names) names_.insert(names_.begin(), std::string());
}

bool Table::next() {
  if (ended_) return false;
  if (!std::exchange(pending_, false)) {
    do {
      if (!records_.next()) {
        ended_ = true;
        return false;
      }
    } while (records_.blank() && names_.size() > 1);
  }
  if (records_.fields().size() != names_.size()) {
    throw DataError(fmt::format("{}: has {} fields, expected {} as in the first line", place(),
                                records_.fields().size(), names_.size()));
  }
  ++lines_;
  return true;
}

std::string_view Table::cell(std::size_t column) const {
  return trimmed(records_.fields()[column]);
}

bool Table::missing(std::string_view cell) const { return is_missing(cell, marks_); }

std::optional<double> Table::number(std::string_view cell) {
  if (numeric_mark_ && missing(cell)) return std::nullopt;
  const auto value = parse_number(cell);
  if (records_.separator() != ';') return value;
  const bool comma = !value && has_decimal_comma(cell);
  if (comma && comma_line_ == 0) comma_line_ = line();
  if (value && point_line_ == 0 && cell.find('.') != std::string_view::npos) point_line_ = line();
  return comma ? parse_number(text(cell)) : value;
}

std::string Table::text(std::string_view cell) {
  std::string result(cell);
  if (records_.separator() == ';' && has_decimal_comma(cell)) {
    std::replace(result.begin(), result.end(), ',', '.');
    if (comma_line_ == 0) comma_line_ = line();
  }
  return result;
}

std::string Table::place() const { return fmt::format("{}: line {}", path(), line()); }

std::string Table::place(std::size_t line, std::size_t column) const {
  return fmt::format("{}: line {}, column {}", path(), line, shortened(names_[column]));
}

void Table::check_utf8(std::string_view text) const {
  if (!is_utf8(text)) check_name(text, place());
}

void Table::expect_data() const {
  if (lines_ == 0) throw DataError(fmt::format("{}: has no data after its header", path()));
}

double Table::progress() const {
  const LineReader& lines = records_.lines();
  return static_cast<double>(lines.bytes_read()) / static_cast<double>(lines.file_size());
}

}  // namespace stkr::detail
