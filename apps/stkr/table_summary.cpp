#include "table_summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "console.hpp"
#include "dataset/table.hpp"
#include "format/file_format.hpp"
#include "format/utf8.hpp"
#include "stkr/error.hpp"

namespace stkr::app {
namespace {

using nlohmann::json;

constexpr std::size_t kMostShown = 100;  // columns

std::string cells_kind(const ColumnProfile& column) {
  if (column.values() == 0) return "empty";
  if (column.texts == 0 && column.booleans == 0) return "number";
  if (column.numbers == 0 && column.texts == 0) return "boolean";
  return column.numbers == 0 ? "text" : "numbers and text";
}

std::string values_of(const ColumnProfile& column) {
  std::vector<std::string> parts;
  if (column.numbers > 0) {
    parts.push_back(column.least == column.greatest
                        ? fmt::format("{}", column.least)
                        : fmt::format("{} to {}", column.least, column.greatest));
  }
  if (column.levels) {
    constexpr std::size_t kShown = 4;
    std::size_t shown = 0;
    for (const auto& [level, count] : *column.levels) {
      if (shown++ == kShown) break;
      parts.push_back(fmt::format("{} ({})", detail::shortened(level), count));
    }
    if (column.too_many_levels) {
      parts.push_back(fmt::format("... more than {}", kMostLevels));
    } else if (column.levels->size() > kShown) {
      parts.push_back(fmt::format("... {} in all", column.levels->size()));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::optional<TableProfile> table_columns(const std::string& input, const LoadOptions& options,
                                          std::string& problem) {
  std::error_code absent;
  if (!std::filesystem::is_regular_file(input, absent)) return std::nullopt;
  const FileFormat format = options.format.empty()
                                ? detect_format(input)
                                : detect_format(input, format_from_name(options.format));
  const bool table = format == FileFormat::csv ||
                     (format == FileFormat::edge_list && options.kind == DatasetKind::points);
  if (!table || options.kind.value_or(DatasetKind::points) != DatasetKind::points) {
    return std::nullopt;
  }
  try {
    return profile_table(input, options);
  } catch (const DataError& error) {
    problem = error.what();
  }
  // Without the options that the columns do not allow.
  LoadOptions plain;
  plain.kind = DatasetKind::points;
  plain.missing = options.missing;
  plain.id = "none";
  for (const std::optional<bool> header : {options.header, std::optional(false)}) {
    plain.header = header;
    plain.labels.clear();
    try {
      const detail::Table names(input, header, plain.missing);
      if (!names.names().empty()) plain.labels = names.names().back();  // no label is guessed
      TableProfile profile = profile_table(input, plain);
      for (detail::ColumnRole& role : profile.columns.roles) role = detail::ColumnRole::undecided;
      return profile;
    } catch (const DataError&) {
      continue;
    }
  }
  return std::nullopt;
}

std::string describe_columns(const TableProfile& profile) {
  std::vector<std::vector<std::string>> rows{{"column", "read as", "cells", "missing", "values"}};
  for (std::size_t c = 0; c < std::min(profile.names.size(), kMostShown); ++c) {
    const ColumnProfile& column = profile.profiles[c];
    rows.push_back({profile.names[c].empty() ? "(no name)" : detail::shortened(profile.names[c]),
                    std::string(detail::role_name(profile.columns.roles[c])), cells_kind(column),
                    with_commas(column.missing), values_of(column)});
  }
  std::string text = format_table(rows) + "\n";
  if (profile.names.size() > kMostShown) {
    text += fmt::format("... {} columns in all\n",
                        with_commas(static_cast<long long>(profile.names.size())));
  }
  return text;
}

json columns_json(const TableProfile& profile) {
  json result = json::array();
  for (std::size_t c = 0; c < profile.names.size(); ++c) {
    const ColumnProfile& column = profile.profiles[c];
    json entry{{"name", profile.names[c]},
               {"role", detail::role_name(profile.columns.roles[c])},
               {"cells", cells_kind(column)},
               {"missing", column.missing}};
    if (column.numbers > 0) {
      entry["least"] = column.least;
      entry["greatest"] = column.greatest;
    }
    if (column.levels && !column.too_many_levels) entry["levels"] = *column.levels;
    result.push_back(std::move(entry));
  }
  return result;
}

}  // namespace stkr::app
