#pragma once

#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dataset/table_columns.hpp"

namespace stkr {

// What the cells of a column are.
struct ColumnProfile {
  Index numbers = 0;
  Index booleans = 0;  // true or false, in any case
  Index texts = 0;     // anything else
  Index commas = 0;    // of the texts: numbers with a comma
  Index missing = 0;
  // The line of the first text, missing cell, and number that is not finite, with the cell.
  std::size_t text_line = 0, missing_line = 0, infinite_line = 0;
  std::string text{}, mark{}, infinite{};
  bool ascending = true;    // whole numbers, each larger than the one before
  bool counts_rows = true;  // 0, 1, 2, ...
  double last = 0.0, least = 0.0, greatest = 0.0, mean = 0.0, squares = 0.0;  // of the numbers
  // How often each text occurs, until there are too many; of numbers only if they are categories.
  std::unique_ptr<std::map<std::string, Index>> levels{};
  bool too_many_levels = false;

  Index values() const { return numbers + booleans + texts; }
  double deviation() const;  // of the numbers
};

// A table after one pass over its lines.
struct TableProfile {
  std::string path;
  bool header = true;
  std::vector<std::string> names{};  // of all columns
  detail::TableColumns columns{};
  std::vector<ColumnProfile> profiles{};  // one per column
  Index rows = 0;
  std::size_t comma_line = 0, point_line = 0;  // as of Table
  std::vector<std::string> notes{};
};

// A category has at most so many levels, and at most half as many as there are cells if there are
// more than ten: more are ids or free text. So are texts that all differ, if there are several.
inline constexpr Index kMostLevels = 100;
inline constexpr Index kFewestUnique = 5;

// Reads the whole file. Appends the cells of the label columns to `labels`, as CsvReader does.
// Throws DataError like assign_columns, and for lines of different lengths. At most `most_lines`
// are read.
TableProfile profile_table(const std::filesystem::path& path, const LoadOptions& options,
                           std::vector<std::string>* labels = nullptr,
                           Index most_lines = std::numeric_limits<Index>::max());

// How the feature columns of the table become features. Appends what a user may want to know to
// `notes`. Throws DataError, with the place and what to do, for columns that mix numbers and text,
// text with too many levels, missing values unless LoadOptions::impute is set, and numbers that are
// not finite.
TableEncoding encode_table(const TableProfile& profile, const LoadOptions& options,
                           std::vector<std::string>& notes);

}  // namespace stkr
