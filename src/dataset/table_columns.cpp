#include "dataset/table_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "format/number_text.hpp"
#include "format/utf8.hpp"
#include "runtime/suggestion.hpp"
#include "stkr/error.hpp"

namespace stkr::detail {
namespace {

constexpr std::array<std::string_view, 5> kUsualLabels = {"label", "labels", "class", "target",
                                                          "y"};
constexpr std::array<std::string_view, 4> kUsualIds = {"id", "index", "row_name", "unnamed: 0"};
// The first two columns of a table of edges.
constexpr std::array<std::array<std::string_view, 2>, 6> kEdgeHeaders = {{{"source", "target"},
                                                                          {"from", "to"},
                                                                          {"src", "dst"},
                                                                          {"node1", "node2"},
                                                                          {"node", "neighbor"},
                                                                          {"node", "neighbour"}}};

template <std::size_t N>
bool is_one_of(const std::string& name, const std::array<std::string_view, N>& usual) {
  return std::find(usual.begin(), usual.end(), lower_case(name)) != usual.end();
}

bool is_existing_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) && !std::filesystem::is_directory(path, ignored);
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    parts.emplace_back(trimmed(std::string_view(text).substr(start, end - start)));
    start = end + 1;
  }
  return parts;
}

class Assignment {
 public:
  Assignment(const Table& table, const LoadOptions& options) : table_(table), options_(options) {
    result_.roles.assign(table.names().size(), ColumnRole::feature);
  }

  TableColumns assign() {
    refuse_edges();
    for (const std::string& name : options_.drop) set(find(name, "--drop"), ColumnRole::ignored);
    for (const std::string& name : options_.categorical) find(name, "--categorical");
    if (!options_.id.empty() && options_.id != "none") take_id(find(options_.id, "--id"));
    assign_labels();
    assign_unnamed();
    note_same_names();
    for (std::size_t c = 0; c < names().size(); ++c) {
      if (result_.roles[c] == ColumnRole::feature) result_.features.push_back(c);
    }
    return std::move(result_);
  }

 private:
  const std::vector<std::string>& names() const { return table_.names(); }
  void set(std::size_t column, ColumnRole role) { result_.roles[column] = role; }
  bool is_known_feature(std::size_t column) const {
    return std::find(options_.feature_names.begin(), options_.feature_names.end(),
                     names()[column]) != options_.feature_names.end();
  }

  std::optional<std::size_t> position(const std::string& name) const {
    const auto at = std::find(names().begin(), names().end(), name);
    if (at == names().end()) return std::nullopt;
    return static_cast<std::size_t>(at - names().begin());
  }

  std::size_t find(const std::string& name, const char* option) const {
    if (const auto at = position(name)) return *at;
    throw DataError(fmt::format("{}: {}: there is no column '{}'; the columns are {}{}",
                                table_.path(), option, printable(name), listed(names()),
                                suggestion(name, names())));
  }

  void take_id(std::size_t column) {
    set(column, ColumnRole::id);
    result_.id = column;
  }

  // An edge list would be read as points with text columns and the label `target`.
  void refuse_edges() const {
    if (options_.kind || !table_.has_header() || names().size() < 2 || names().size() > 4) return;
    for (const auto& header : kEdgeHeaders) {
      if (lower_case(names()[0]) != header[0] || lower_case(names()[1]) != header[1]) continue;
      throw DataError(fmt::format(
          "{}: the columns {} and {} look like the edges of a graph; say --kind graph to read them "
          "so, or --kind points for a table with one sample per line",
          table_.path(), names()[0], names()[1]));
    }
  }

  void assign_labels() {
    std::vector<std::size_t> usual;
    for (std::size_t c = 0; c < names().size(); ++c) {
      const bool candidate = table_.has_header() && result_.roles[c] == ColumnRole::feature &&
                             is_usual_label(names()[c]) && !is_known_feature(c);
      if (candidate) usual.push_back(c);
    }
    if (options_.labels.empty()) {
      set_coordinates_apart(usual);
      if (usual.size() > 1 && options_.feature_names.empty()) refuse_several(usual);
      for (const std::size_t c : usual) add_label(c);
      if (usual.size() == 1 && options_.feature_names.empty()) {
        result_.notes.push_back(
            fmt::format("the labels are in column {}", printable(names()[usual[0]])));
      }
      return;
    }
    if (const auto one = position(options_.labels)) {
      add_label(*one);
    } else if (is_existing_file(options_.labels)) {
      for (const std::size_t c : usual) {
        set(c, ColumnRole::ignored);
        result_.notes.push_back(fmt::format("column {} is not used: the labels are in {}",
                                            printable(names()[c]), options_.labels));
      }
      return;
    } else {
      for (const std::string& name : split_list(options_.labels)) {
        const auto at = position(name);
        if (!at) refuse_labels(name);
        add_label(*at);
      }
    }
    for (const std::size_t c : usual) {
      if (result_.roles[c] != ColumnRole::feature) continue;
      result_.notes.push_back(fmt::format(
          "column {0} is a feature, though it is named like labels; --drop {0} leaves it out",
          printable(names()[c])));
    }
  }

  // Beside a column x, y is a coordinate if another column may be the labels.
  void set_coordinates_apart(std::vector<std::size_t>& usual) {
    const bool plane = std::any_of(names().begin(), names().end(),
                                   [](const std::string& name) { return lower_case(name) == "x"; });
    if (usual.size() < 2 || !plane) return;
    std::erase_if(usual, [&](std::size_t c) {
      if (lower_case(names()[c]) != "y") return false;
      result_.notes.push_back(
          fmt::format("column {} is a feature, because there is a column x, too", names()[c]));
      return true;
    });
  }

  void add_label(std::size_t column) {
    set(column, ColumnRole::label);
    result_.labels.push_back(column);
  }

  [[noreturn]] void refuse_several(const std::vector<std::size_t>& candidates) const {
    std::vector<std::string> found;
    for (const std::size_t c : candidates) found.push_back(names()[c]);
    throw DataError(fmt::format(
        "{0}: the columns {1} may all be the labels; name one with --labels ({2}), and leave the "
        "other out with --drop ({3}) unless it is a feature",
        table_.path(), printable(fmt::format("{}", fmt::join(found, " and "))), printable(found[0]),
        printable(found[1])));
  }

  [[noreturn]] void refuse_labels(const std::string& name) const {
    const std::string wanted = options_.labels;
    throw DataError(fmt::format(
        "{}: labels '{}': there is no column{} and no file of that name; the data has {}{}",
        table_.path(), printable(wanted),
        name == wanted ? "" : fmt::format(" '{}'", printable(name)), listed(names()),
        suggestion(name, names())));
  }

  // Ids that nobody asked for, and columns without a name.
  void assign_unnamed() {
    std::vector<std::size_t> unnamed;
    for (std::size_t c = 0; c < names().size(); ++c) {
      if (result_.roles[c] != ColumnRole::feature) continue;
      const bool by_default = options_.id.empty() && !result_.id && table_.has_header();
      if (by_default && !is_known_feature(c) && is_usual_id(names()[c])) {
        take_id(c);
        result_.notes.push_back(
            fmt::format("column {} holds the ids of the samples and is no feature; with --id none "
                        "it is one",
                        printable(names()[c])));
      } else if (names()[c].empty()) {
        set(c, ColumnRole::ignored);
        if (c == 0 && by_default) {
          set(c, ColumnRole::row_number);
        } else {
          unnamed.push_back(c + 1);
        }
      }
    }
    if (result_.roles[0] == ColumnRole::row_number && result_.id) {
      set(0, ColumnRole::ignored);
      unnamed.insert(unnamed.begin(), 1);
    }
    if (unnamed.size() == 1) {
      result_.notes.push_back(
          fmt::format("column {} has no name (a row index?) and is skipped", unnamed[0]));
    } else if (unnamed.size() > 1) {
      result_.notes.push_back(
          fmt::format("{} columns have no name and are skipped; the first is column {}",
                      unnamed.size(), unnamed[0]));
    }
  }

  // Options find the first of several columns with the same name.
  void note_same_names() {
    std::unordered_set<std::string_view> seen;
    for (const std::string& name : names()) {
      if (name.empty() || seen.insert(name).second) continue;
      result_.notes.push_back(
          fmt::format("several columns are named {}: options that name it mean the first, and the "
                      "columns of new samples are matched by their order",
                      printable(name)));
      return;
    }
  }

  const Table& table_;
  const LoadOptions& options_;
  TableColumns result_;
};

}  // namespace

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 20;
  const std::vector<std::string> shown(names.begin(),
                                       names.begin() + std::min(names.size(), kShown));
  return printable(fmt::format("{}", fmt::join(shown, ", "))) +
         (names.size() > kShown ? fmt::format(" and {} more", names.size() - kShown) : "");
}

bool is_usual_label(const std::string& name) { return is_one_of(name, kUsualLabels); }
bool is_usual_id(const std::string& name) { return is_one_of(name, kUsualIds); }

std::string_view role_name(ColumnRole role) {
  switch (role) {
    case ColumnRole::feature:
      return "feature";
    case ColumnRole::label:
      return "label";
    case ColumnRole::id:
      return "id";
    case ColumnRole::row_number:
      return "row number";
    case ColumnRole::ignored:
      return "not used";
    case ColumnRole::undecided:
      return "?";
  }
  return "unknown";
}

TableColumns assign_columns(const Table& table, const LoadOptions& options) {
  return Assignment(table, options).assign();
}

}  // namespace stkr::detail
