#include "edge_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "csv_records.hpp"
#include "edge_data.hpp"
#include "format/utf8.hpp"
#include "number_text.hpp"
#include "stkr/error.hpp"

namespace stkr::detail {
namespace {

using Words = std::initializer_list<const char*>;

bool one_of(const std::string& field, Words words) {
  const std::string lower = lower_case(field);
  return std::any_of(words.begin(), words.end(), [&](const char* word) { return lower == word; });
}

bool names_columns(const std::vector<std::string>& fields) {
  return fields.size() >= 2 &&
         one_of(fields[0], {"source", "from", "src", "node1", "new", "node"}) &&
         one_of(fields[1], {"target", "to", "dst", "node2", "known", "neighbor", "neighbour"});
}

// Returns whether the fields may be column names; they may also be nodes.
bool may_name_columns(const std::vector<std::string>& fields) {
  return fields.size() >= 2 && one_of(fields[0], {"u", "i"}) && one_of(fields[1], {"v", "j"});
}

bool has_numbers(const std::vector<std::string>& fields) {
  return fields.size() >= 2 && parse_integer(fields[0]) && parse_integer(fields[1]);
}

}  // namespace

EdgeLines::EdgeLines(const std::filesystem::path& path, TextRange range, const EdgeLines& head)
    : lines_(path, range) {
  if (range.begin == 0) return;
  separator_ = head.separator_;
  seen_line_ = seen_edge_ = true;
}

bool EdgeLines::next() {
  if (!next_fields_.empty()) {
    fields_ = std::exchange(next_fields_, {});
    line_ = next_line_;
  } else {
    const bool first = !seen_line_;
    if (!read_fields()) return false;
    if (first && !skip_header()) return false;
  }
  if (fields_.size() != 2 && fields_.size() != 3) {
    fail(fmt::format(
        "has {} fields, expected two nodes and an optional weight{}",
        fields_.size() > 4 ? "more than 4" : std::to_string(fields_.size()),
        fields_.size() > 2 ? "; if the file is a table of points, use --kind points" : ""));
  }
  if (fields_[0].empty() || fields_[1].empty()) fail("has only one node, expected two");
  read_weight();
  seen_edge_ = true;
  return true;
}

// Advances to the first edge; returns false if there is none.
bool EdgeLines::skip_header() {
  has_header_ = names_columns(fields_);
  if (has_header_) return read_fields();
  if (!may_name_columns(fields_)) return true;
  std::vector<std::string> first = fields_;
  const std::size_t first_line = line_;
  if (!read_fields()) {
    fields_ = std::move(first);
    return true;
  }
  has_header_ = has_numbers(fields_);
  if (has_header_) return true;
  next_fields_ = std::exchange(fields_, std::move(first));
  next_line_ = std::exchange(line_, first_line);
  return true;
}

bool EdgeLines::read_fields() {
  while (lines_.next()) {
    const std::string_view line = trimmed(lines_.line());
    if (line.empty()) continue;
    if (line.front() == '#' || line.front() == '%') {
      read_comment(line);
      continue;
    }
    line_ = lines_.number();
    split(line);
    seen_line_ = true;
    return true;
  }
  return false;
}

void EdgeLines::read_comment(std::string_view line) {
  const auto words = split_words(line.substr(1), 3);
  if (words.size() == 2 && words[0] == "nodes") announced_nodes_ = parse_integer(words[1]);
}

void EdgeLines::split(std::string_view line) {
  const std::size_t data = edge_data_start(line);
  if (data == std::string_view::npos) return split_fields(line);
  std::string_view nodes = trimmed(line.substr(0, data));
  if (nodes.ends_with(',') || nodes.ends_with(';')) nodes.remove_suffix(1);
  split_fields(nodes);
  if (fields_.size() != 2) return;  // next() says what is expected
  try {
    fields_.push_back(edge_data_weight(line.substr(data)));
  } catch (const ValueError& error) {
    fail(error.what());
  }
}

void EdgeLines::split_fields(std::string_view line) {
  if (!seen_line_) {
    for (const char candidate : {'\t', ',', ';'}) {
      if (separator_ == ' ' && line.find(candidate) != std::string_view::npos) {
        separator_ = candidate;
      }
    }
  }
  fields_.clear();
  if (separator_ == ' ') {
    for (const std::string_view word : split_words(line, 5)) fields_.emplace_back(word);
    return;
  }
  FieldSplitter record(separator_);
  try {
    if (!record.add(line)) fail("a quoted field is never closed");
  } catch (const ValueError& error) {
    fail(error.what());
  }
  for (std::size_t k = 0; k < record.fields().size(); ++k) {
    const std::string& field = record.fields()[k];
    fields_.emplace_back(record.quoted(k) ? field : trimmed(field));
  }
}

void EdgeLines::read_weight() {
  weight_ = 1.0;
  if (fields_.size() < 3) return;
  const auto weight = parse_number(fields_[2]);
  if (!weight || !std::isfinite(*weight) || *weight < 0.0) {
    const bool header = !seen_edge_ && !looks_like_number(fields_[2]);
    fail(fmt::format("weight '{}', expected a finite number ≥ 0{}",
                     printable(fields_[2].substr(0, 40)),
                     header ? "; if the line is a header, name the columns source, target and "
                              "weight, or start it with #"
                            : ""));
  }
  weight_ = *weight;
}

void EdgeLines::fail(const std::string& what) const {
  throw DataError(fmt::format("{}: line {}: {}", lines_.shown_path(), line_, what));
}

void EdgeLines::check_node(const std::string& name) const {
  constexpr std::size_t kLongest = 1000;
  if (name.size() > kLongest) {
    fail(fmt::format("has a node name with {} bytes, expected at most {}", name.size(), kLongest));
  }
  if (!is_utf8(name)) check_name(name, fmt::format("{}: line {}", lines_.shown_path(), line_));
}

}  // namespace stkr::detail
