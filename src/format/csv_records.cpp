#include "csv_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "number_text.hpp"
#include "stkr/error.hpp"

namespace stkr::detail {
namespace {

constexpr std::string_view kSeparators = ",;\t";
constexpr std::size_t kMostFields = 4'000'000;

// Whether semicolons separate numbers, of which one has a decimal comma: the commas then separate
// nothing, however many there are.
bool has_decimal_commas(std::string_view line) {
  bool found = false;
  while (!line.empty()) {
    const std::string_view field = line.substr(0, line.find(';'));
    line.remove_prefix(std::min(line.size(), field.size() + 1));
    const bool comma = has_decimal_comma(field);
    if (!comma && !looks_like_number(field) && !is_missing(field)) return false;
    found = found || comma;
  }
  return found;
}

// The comma, semicolon or tab that occurs most often outside quotes. If none does, a space between
// two quoted fields, as R's write.table writes them, else a comma.
char guess_separator(std::string_view line) {
  if (line.find(';') != std::string_view::npos && has_decimal_commas(line)) return ';';
  std::array<Index, 3> counts{};
  bool quoted = false, starts = true;  // starts: a field, for any separator
  bool spaced = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const std::size_t place = kSeparators.find(c);
    // A doubled quote closes the field and opens it again.
    if (c == '"' && (quoted || starts)) quoted = !quoted;
    starts = c == '"' ? !quoted : place != std::string_view::npos || (starts && c == ' ');
    if (!quoted && place != std::string_view::npos) ++counts[place];
    if (c == '"' && !quoted && line.substr(i, 3) == "\" \"") spaced = true;
  }
  if (spaced && counts == std::array<Index, 3>{}) return ' ';
  return kSeparators[std::max_element(counts.begin(), counts.end()) - counts.begin()];
}

}  // namespace

void FieldSplitter::clear() {
  fields_.clear();
  were_quoted_.clear();
  field_.clear();
  quoted_ = false;
  closed_ = false;
}

bool FieldSplitter::add(std::string_view line) {
  const auto separators = std::count(line.begin(), line.end(), separator_);
  if (fields_.size() + static_cast<std::size_t>(separators) >= kMostFields) {
    throw ValueError(
        fmt::format("has {} or more fields, which is too many for a text table; store it as .npy "
                    "or .npz",
                    kMostFields));
  }
  if (quoted_) field_.push_back('\n');
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted_) {
      if (c != '"') {
        field_.push_back(c);
      } else if (i + 1 < line.size() && line[i + 1] == '"') {
        field_.push_back('"');
        ++i;
      } else {
        quoted_ = false;
        closed_ = true;
      }
    } else if (c == separator_) {
      end_field();
    } else if (closed_) {
      if (c == ' ' || c == '\t' || c == '\r') continue;
      throw ValueError(
          fmt::format("field {} continues after its closing quote; quote the whole field, and "
                      "double any quotes inside it",
                      fields_.size() + 1));
    } else if (c == '"' && field_.empty()) {
      quoted_ = true;
    } else if (c != '\r' || i + 1 < line.size()) {
      field_.push_back(c);
    }
  }
  if (quoted_) return false;
  end_field();
  return true;
}

void FieldSplitter::end_field() {
  fields_.push_back(std::move(field_));
  were_quoted_.push_back(closed_);
  field_.clear();
  closed_ = false;
}

bool CsvRecords::next() {
  splitter_.clear();
  if (!lines_.next()) return false;
  line_ = lines_.number();
  if (line_ == 1) splitter_ = FieldSplitter(guess_separator(lines_.line()));
  const auto fail = [&](const std::string& what) {
    throw DataError(fmt::format("{}: line {}: {}", lines_.shown_path(), line_, what));
  };
  try {
    while (!splitter_.add(lines_.line_with_return())) {
      if (!lines_.next()) fail("a quoted field is never closed");
    }
  } catch (const ValueError& error) {
    fail(error.what());
  }
  return true;
}

bool has_decimal_comma(std::string_view field) {
  field = trimmed(field);
  const std::size_t comma = field.find(',');
  if (comma == std::string_view::npos || field.find(',', comma + 1) != std::string_view::npos ||
      field.find('.') != std::string_view::npos) {
    return false;
  }
  std::string number(field);
  number[comma] = '.';
  return looks_like_number(number);
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

int find_label_column(const std::vector<std::string>& columns, std::string_view wanted) {
  const auto find = [&](auto matches) {
    const auto found = std::find_if(columns.begin(), columns.end(), matches);
    return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
  };
  if (!wanted.empty()) return find([&](const std::string& name) { return name == wanted; });
  for (const std::string_view usual : {"label", "labels", "class", "target", "y"}) {
    const int column = find([&](const std::string& name) { return lower_case(name) == usual; });
    if (column >= 0) return column;
  }
  return -1;
}

}  // namespace stkr::detail
