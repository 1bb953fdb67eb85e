// match_columns of table_columns.hpp.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "dataset/table_columns.hpp"
#include "format/utf8.hpp"
#include "stkr/error.hpp"

namespace stkr::detail {
namespace {

std::string quoted_list(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  const std::vector<std::string> shown(names.begin(),
                                       names.begin() + std::min(names.size(), kShown));
  return fmt::format(
      "'{}'{}", printable(fmt::format("{}", fmt::join(shown, "', '"))),
      names.size() > kShown ? fmt::format(" and {} more", names.size() - kShown) : "");
}

// Finds the columns of an encoding in a new table.
class ColumnMatch {
 public:
  ColumnMatch(const Table& table, const TableEncoding& encoding)
      : table_(table), encoding_(encoding) {
    result_.roles.assign(names().size(), ColumnRole::ignored);
    for (std::size_t c = 0; c < names().size(); ++c) {
      unique_ &= place_.emplace(names()[c], c).second || names()[c].empty();
    }
    for (const EncodedColumn& column : encoding.columns) expected_.insert(column.name);
  }

  TableColumns match() {
    // Without a header, the table may have only the features.
    if (!table_.has_header() && names().size() == encoding_.columns.size()) {
      for (std::size_t c = 0; c < names().size(); ++c) take(c);
      return std::move(result_);
    }
    if (!table_.has_header() && encoding_.header) wrong_count(names().size());
    find_id();
    // Duplicate names do not identify columns.
    unique_&& expected_.size() == encoding_.columns.size() ? by_name() : by_order();
    return std::move(result_);
  }

 private:
  const std::vector<std::string>& names() const { return table_.names(); }

  void take(std::size_t column) {
    result_.features.push_back(column);
    result_.roles[column] = ColumnRole::feature;
  }

  void find_id() {
    for (std::size_t c = 0; c < names().size() && !result_.id; ++c) {
      const std::string& name = names()[c];
      const bool row_names = c == 0 && name.empty() && encoding_.id_column == kRowNames;
      const bool named = encoding_.id_column.empty()
                             ? is_usual_id(name) && !expected_.contains(name)
                             : name == encoding_.id_column;
      if (!row_names && !named) continue;
      result_.id = c;
      result_.roles[c] = ColumnRole::id;
    }
  }

  bool may_be_ignored(std::size_t c) const {
    const std::string& name = names()[c];
    return name.empty() || result_.id == c || is_usual_label(name) ||
           std::find(encoding_.ignored.begin(), encoding_.ignored.end(), name) !=
               encoding_.ignored.end();
  }

  [[noreturn]] void wrong_count(std::size_t features) const {
    throw DataError(fmt::format(
        "{}: has {} features, expected the {} that the model was fitted on, in the same order",
        table_.path(), features, encoding_.columns.size()));
  }

  void by_name() {
    std::vector<std::string> absent, unknown;
    for (const EncodedColumn& column : encoding_.columns) {
      const auto at = place_.find(column.name);
      at == place_.end() ? absent.push_back(column.name) : take(at->second);
    }
    for (std::size_t c = 0; c < names().size(); ++c) {
      if (!expected_.contains(names()[c]) && !may_be_ignored(c)) unknown.push_back(names()[c]);
    }
    if (absent.empty() && unknown.empty()) return;
    std::vector<std::string> findings;
    if (!absent.empty()) {
      findings.push_back(fmt::format("lacks the feature {}", quoted_list(absent)));
    }
    if (!unknown.empty()) {
      findings.push_back(fmt::format("has {}, unknown to the model", quoted_list(unknown)));
    }
    throw DataError(fmt::format(
        "{}: {}; expected the {} columns that the model was fitted on, in any order{}: add, remove "
        "or rename columns",
        table_.path(), fmt::join(findings, " and "), encoding_.columns.size(),
        table_.has_header() ? "" : ", or only these without a header"));
  }

  void by_order() {
    for (std::size_t c = 0; c < names().size(); ++c) {
      if (expected_.contains(names()[c]) || !may_be_ignored(c)) take(c);
    }
    if (result_.features.size() != encoding_.columns.size()) wrong_count(result_.features.size());
  }

  const Table& table_;
  const TableEncoding& encoding_;
  bool unique_ = true;
  std::unordered_map<std::string_view, std::size_t> place_;
  std::unordered_set<std::string_view> expected_;
  TableColumns result_;
};

}  // namespace

TableColumns match_columns(const Table& table, const TableEncoding& encoding) {
  return ColumnMatch(table, encoding).match();
}

}  // namespace stkr::detail
