#include "dataset/table_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dataset/table.hpp"
#include "format/number_text.hpp"
#include "format/utf8.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

using detail::ColumnRole;
using detail::Table;

class Profiler {
 public:
  Profiler(const std::filesystem::path& path, const LoadOptions& options)
      : table_(path, options.header, options.missing) {
    profile_.path = table_.path();
    profile_.header = table_.has_header();
    profile_.names = table_.names();
    profile_.columns = detail::assign_columns(table_, options);
    profile_.notes = table_.notes();
    profile_.profiles.resize(profile_.names.size());
    for (std::size_t c = 0; c < profile_.names.size(); ++c) {
      categorical_.push_back(std::find(options.categorical.begin(), options.categorical.end(),
                                       profile_.names[c]) != options.categorical.end());
    }
  }

  TableProfile read(std::vector<std::string>* labels, Index most_lines) {
    while (profile_.rows < most_lines && table_.next()) {
      for (std::size_t c = 0; c < profile_.profiles.size(); ++c) add(c);
      for (const std::size_t c : profile_.columns.labels) {
        if (labels == nullptr) break;
        table_.check_utf8(table_.cell(c));
        labels->push_back(table_.text(table_.cell(c)));
      }
      ++profile_.rows;
    }
    table_.expect_data();
    profile_.comma_line = table_.comma_line();
    profile_.point_line = table_.point_line();
    decide_row_numbers();
    const std::vector<std::string>& notes = profile_.columns.notes;
    profile_.notes.insert(profile_.notes.end(), notes.begin(), notes.end());
    return std::move(profile_);
  }

 private:
  void add(std::size_t c) {
    ColumnProfile& column = profile_.profiles[c];
    const std::string_view cell = table_.cell(c);
    const ColumnRole role = profile_.columns.roles[c];
    const bool feature = role == ColumnRole::feature;
    // Only features and labels decide on decimal commas.
    const auto number =
        feature || role == ColumnRole::label ? table_.number(cell) : detail::parse_number(cell);
    if (number && std::isfinite(*number)) {
      add_number(*number, column);
      if (categorical_[c]) add_level(cell, column);
      return;
    }
    column.ascending = column.counts_rows = false;
    if (table_.missing(cell)) {
      if (column.missing++ > 0) return;
      column.missing_line = table_.line();
      column.mark = cell;
    } else if (number || detail::looks_like_number(cell)) {
      if (column.infinite_line > 0) return;
      column.infinite_line = table_.line();
      column.infinite = cell;
    } else {
      add_text(cell, column);
    }
  }

  void add_number(double value, ColumnProfile& column) {
    const bool first = column.numbers++ == 0;
    column.least = first ? value : std::min(column.least, value);
    column.greatest = first ? value : std::max(column.greatest, value);
    column.ascending =
        column.ascending && std::trunc(value) == value && (first || value > column.last);
    column.counts_rows = column.counts_rows && value == static_cast<double>(table_.lines() - 1);
    column.last = value;
    // Welford's recurrence for the sum of squared deviations.
    const double deviation = value - column.mean;
    column.mean += deviation / static_cast<double>(column.numbers);
    column.squares += deviation * (value - column.mean);
  }

  void add_text(std::string_view cell, ColumnProfile& column) {
    const std::string lower = detail::lower_case(cell);
    if (lower == "true" || lower == "false") {
      ++column.booleans;
    } else {
      ++column.texts;
      if (detail::has_decimal_comma(cell)) ++column.commas;
    }
    if (column.text_line == 0) {
      column.text_line = table_.line();
      column.text = cell;
    }
    add_level(cell, column);
  }

  void add_level(std::string_view cell, ColumnProfile& column) {
    table_.check_utf8(cell);
    if (column.too_many_levels) return;
    if (!column.levels) column.levels = std::make_unique<std::map<std::string, Index>>();
    ++(*column.levels)[std::string(cell)];
    if (static_cast<Index>(column.levels->size()) > kMostLevels) column.too_many_levels = true;
  }

  // An unnamed first column is the ids, unless it only counts.
  void decide_row_numbers() {
    detail::TableColumns& columns = profile_.columns;
    if (columns.roles.empty() || columns.roles[0] != ColumnRole::row_number) return;
    if (profile_.profiles[0].counts_rows) {
      columns.notes.emplace_back("column 1 has no name (a row index?) and is skipped");
      return;
    }
    columns.roles[0] = ColumnRole::id;
    columns.id = 0;
    columns.notes.push_back(
        fmt::format("column 1 has no name: it holds the ids of the samples, which predictions "
                    "list as {}",
                    detail::kRowNames));
  }

  Table table_;
  TableProfile profile_;
  std::vector<char> categorical_;
};

}  // namespace

double ColumnProfile::deviation() const {
  return numbers > 0 ? std::sqrt(squares / static_cast<double>(numbers)) : 0.0;
}

TableProfile profile_table(const std::filesystem::path& path, const LoadOptions& options,
                           std::vector<std::string>* labels, Index most_lines) {
  return Profiler(path, options).read(labels, most_lines);
}

}  // namespace stkr
