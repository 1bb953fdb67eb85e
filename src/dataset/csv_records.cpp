#include "csv_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "number_text.hpp"
#include "stkr/error.hpp"

namespace stkr::detail {

CsvRecords::CsvRecords(std::string_view text, char separator, const std::string& shown)
    : rest_(text), separator_(separator), shown_(shown) {
  if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
}

bool CsvRecords::next() {
  fields_.clear();
  if (rest_.empty()) return false;
  line_ = next_line_;
  std::string field;
  bool quoted = false;
  std::size_t i = 0;
  for (; i < rest_.size(); ++i) {
    const char c = rest_[i];
    if (c == '\n') ++next_line_;
    if (quoted) {
      if (c != '"') {
        field.push_back(c);
      } else if (i + 1 < rest_.size() && rest_[i + 1] == '"') {
        field.push_back('"');
        ++i;
      } else {
        quoted = false;
      }
    } else if (c == '"' && field.empty()) {
      quoted = true;
    } else if (c == separator_) {
      fields_.push_back(std::move(field));
      field.clear();
    } else if (c == '\n') {
      ++i;
      break;
    } else if (c != '\r' || (i + 1 < rest_.size() && rest_[i + 1] != '\n')) {
      field.push_back(c);
    }
  }
  if (quoted) {
    throw DataError(fmt::format("{}: line {}: a quote is opened and never closed", shown_, line_));
  }
  fields_.push_back(std::move(field));
  rest_.remove_prefix(i);
  return true;
}

char guess_separator(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  char best = ',';
  for (const char candidate : {';', '\t'}) {
    if (std::count(line.begin(), line.end(), candidate) >
        std::count(line.begin(), line.end(), best)) {
      best = candidate;
    }
  }
  return best;
}

std::string csv_field(std::string_view text) {
  const bool plain =
      text.find_first_of(",;\t\"\r\n") == std::string_view::npos && trimmed(text) == text;
  if (plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted.push_back('"');
    quoted.push_back(c);
  }
  return quoted + '"';
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
