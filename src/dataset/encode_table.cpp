// encode_table of table_profile.hpp: the rules by which columns become features.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "dataset/table.hpp"
#include "dataset/table_profile.hpp"
#include "format/utf8.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

using detail::shortened;

class ColumnRules {
 public:
  ColumnRules(const TableProfile& profile, const LoadOptions& options)
      : profile_(profile), options_(options) {}

  EncodedColumn encode(std::size_t c) {
    const ColumnProfile& column = profile_.profiles[c];
    EncodedColumn result{.name = profile_.names[c]};
    const bool asked = std::find(options_.categorical.begin(), options_.categorical.end(),
                                 result.name) != options_.categorical.end();
    if (!asked) refuse_mixed(c);
    if (asked || column.texts > 0) {
      result.kind = ColumnKind::category;
      refuse_levels(c);
      for (const auto& [level, count] : *column.levels) result.levels.push_back(level);
    } else if (column.booleans > 0) {
      result.kind = ColumnKind::boolean;
    }
    refuse_missing(c);
    return result;
  }

 private:
  [[noreturn]] void fail(std::size_t c, std::size_t line, const std::string& what) const {
    throw DataError(fmt::format("{}: line {}, column {}: {}", profile_.path, line,
                                shortened(profile_.names[c]), what));
  }

  std::string name(std::size_t c) const { return shortened(profile_.names[c]); }

  // A table without labels may have them in the column that is refused.
  std::string as_label(std::size_t c) const {
    if (!options_.labels.empty() || !profile_.columns.labels.empty()) return "";
    return fmt::format(", or say --labels {} if it holds the labels", name(c));
  }

  void refuse_mixed(std::size_t c) const {
    const ColumnProfile& column = profile_.profiles[c];
    if (column.infinite_line > 0) {
      fail(c, column.infinite_line,
           fmt::format("'{}', expected a finite number; fill it in or remove the line",
                       shortened(column.infinite)));
    }
    if (column.commas > 0 && column.commas == column.texts) {
      fail(c, column.text_line,
           fmt::format("'{}', expected a number with a decimal point; decimal commas are read only "
                       "in files whose fields are separated by semicolons",
                       shortened(column.text)));
    }
    if (column.text_line == 0 || column.numbers == 0) return;
    fail(c, column.text_line,
         fmt::format("'{0}', expected a finite number like the {1} others; if it marks missing "
                     "values, say --missing '{0}', and --categorical {2} if numbers are "
                     "categories here, or leave the column out with --drop {2}{3}",
                     shortened(column.text), column.numbers, name(c), as_label(c)));
  }

  void refuse_levels(std::size_t c) const {
    const ColumnProfile& column = profile_.profiles[c];
    const auto levels = column.levels ? static_cast<Index>(column.levels->size()) : 0;
    const bool unique = levels == column.values() && levels >= kFewestUnique;
    const bool many =
        column.too_many_levels || unique || (levels > 10 && 2 * levels > column.values());
    if (!many) return;
    throw DataError(fmt::format(
        "{}: column {} has {} different texts in {} lines, such as '{}': too many for categories; "
        "say --id {} if they are the ids of the samples, or leave the column out with --drop {}{}",
        profile_.path, name(c),
        column.too_many_levels ? fmt::format("more than {}", kMostLevels) : fmt::to_string(levels),
        profile_.rows, shortened(column.text.empty() ? column.levels->begin()->first : column.text),
        name(c), name(c), as_label(c)));
  }

  void refuse_missing(std::size_t c) const {
    const ColumnProfile& column = profile_.profiles[c];
    if (column.missing == 0) return;
    const std::string found =
        column.mark.empty() ? "is empty" : fmt::format("'{}'", shortened(column.mark));
    if (column.values() == 0) {
      fail(c, column.missing_line,
           fmt::format("{}, like all cells of the column; leave it out with --drop {}{}", found,
                       name(c), as_label(c)));
    }
    if (options_.impute) return;
    fail(c, column.missing_line,
         fmt::format("{}, expected a value; {} of {} cells are missing: fill them with --impute "
                     "median, or leave the column out with --drop {}{}",
                     found, column.missing, profile_.rows, name(c), as_label(c)));
  }

  const TableProfile& profile_;
  const LoadOptions& options_;
};

std::string some_of(const std::vector<std::string>& texts) {
  constexpr std::size_t kShown = 5;
  const std::vector<std::string> shown(texts.begin(),
                                       texts.begin() + std::min(texts.size(), kShown));
  return fmt::format(
      "{}{}", fmt::join(shown, ", "),
      texts.size() > kShown ? fmt::format(" and {} more", texts.size() - kShown) : "");
}

void note_kinds(const TableEncoding& encoding, std::vector<std::string>& notes) {
  std::vector<std::string> categories, booleans;
  for (const EncodedColumn& column : encoding.columns) {
    const std::string name = shortened(column.name);
    if (column.kind == ColumnKind::boolean) booleans.push_back(name);
    if (column.kind == ColumnKind::category) {
      categories.push_back(fmt::format("{} ({})", name, column.levels.size()));
    }
  }
  if (!categories.empty()) {
    notes.push_back(fmt::format(
        "text is read as categories, one feature of 0 or 1 for each different text of a column: {}",
        some_of(categories)));
  }
  if (!booleans.empty()) {
    notes.push_back(fmt::format("true and false are read as 1 and 0: {}", some_of(booleans)));
  }
}

// Notes a first column that seems to number the samples.
void note_counter(const TableProfile& profile, std::vector<std::string>& notes) {
  constexpr Index kFewest = 10;
  if (profile.rows < kFewest || profile.columns.features.empty()) return;
  const std::size_t c = profile.columns.features.front();
  if (c != 0 || !profile.profiles[c].ascending) return;
  notes.push_back(fmt::format(
      "column {0} ascends from {1} to {2} and is read as a feature; if it numbers the samples, say "
      "--id {0} or --drop {0}",
      shortened(profile.names[c]), profile.profiles[c].least, profile.profiles[c].greatest));
}

// Notes features that dominate distances because of their units.
void note_scales(const TableProfile& profile, const TableEncoding& encoding,
                 std::vector<std::string>& notes) {
  constexpr double kMostDifferent = 100.0;
  std::optional<std::size_t> smallest, largest;
  const auto deviation = [&](std::size_t c) { return profile.profiles[c].deviation(); };
  for (std::size_t k = 0; k < encoding.columns.size(); ++k) {
    const std::size_t c = profile.columns.features[k];
    if (encoding.columns[k].kind != ColumnKind::number || !(deviation(c) > 0.0)) continue;
    if (!smallest || deviation(c) < deviation(*smallest)) smallest = c;
    if (!largest || deviation(c) > deviation(*largest)) largest = c;
  }
  if (!smallest || deviation(*largest) <= kMostDifferent * deviation(*smallest)) return;
  notes.push_back(fmt::format(
      "the features differ in scale: the standard deviation of {} is {:.3g}, that of {} {:.3g}; "
      "--standardize makes all of them 1",
      shortened(profile.names[*largest]), deviation(*largest), shortened(profile.names[*smallest]),
      deviation(*smallest)));
}

}  // namespace

TableEncoding encode_table(const TableProfile& profile, const LoadOptions& options,
                           std::vector<std::string>& notes) {
  TableEncoding encoding;
  encoding.header = profile.header;
  encoding.missing = options.missing;
  encoding.impute = options.impute;
  if (profile.columns.id) {
    const std::string& name = profile.names[*profile.columns.id];
    encoding.id_column = name.empty() ? std::string(detail::kRowNames) : name;
  }
  for (std::size_t c = 0; c < profile.names.size(); ++c) {
    const detail::ColumnRole role = profile.columns.roles[c];
    if (role == detail::ColumnRole::label || role == detail::ColumnRole::ignored) {
      encoding.ignored.push_back(profile.names[c]);
    }
  }
  detail::check_decimals(profile.path, profile.comma_line, profile.point_line);
  ColumnRules rules(profile, options);
  Index filled = 0, filled_columns = 0;
  for (const std::size_t c : profile.columns.features) {
    encoding.columns.push_back(rules.encode(c));
    filled += profile.profiles[c].missing;
    filled_columns += profile.profiles[c].missing > 0 ? 1 : 0;
  }
  note_kinds(encoding, notes);
  if (profile.comma_line > 0) {
    notes.emplace_back("numbers are read with decimal commas, as in 1,5");
  }
  if (filled > 0) {
    notes.push_back(fmt::format(
        "{} missing cell{} of {} column{} {} filled: with the median of numbers, with the more "
        "frequent of true and false; text that is missing is none of the categories",
        filled, filled == 1 ? "" : "s", filled_columns, filled_columns == 1 ? "" : "s",
        filled == 1 ? "is" : "are"));
  }
  note_counter(profile, notes);
  if (!options.standardize) note_scales(profile, encoding, notes);
  return encoding;
}

}  // namespace stkr
