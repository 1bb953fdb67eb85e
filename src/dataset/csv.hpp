#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stkr/dataset/dataset.hpp"

namespace stkr {

// Reads a table of points line by line: numeric columns are features, other columns may be labels.
//
// Fields are separated by commas, semicolons or tabs, and may be quoted. The first line is a header
// with column names in UTF-8, unless all its fields are numbers or missing; without a header,
// columns are named 0, 1, ...
// `labels` is a column name, or several separated by commas; empty: label, class, target or y, in
// any case. A column with an empty name (the row index that pandas writes) is skipped. Throws
// DataError with the line and column if a feature is not a finite number or if lines differ in
// length.
class CsvReader {
 public:
  // A column listed in `features` is never taken as a label, whatever its name.
  explicit CsvReader(const std::filesystem::path& path, const std::string& labels = {},
                     std::span<const std::string> features = {});
  ~CsvReader();

  Index features() const;
  const std::vector<std::string>& feature_names() const;  // empty without a header
  const std::vector<std::string>& column_names() const;   // of all columns
  const std::vector<std::string>& label_columns() const;  // the label columns found
  const std::vector<std::string>& notes() const;          // columns skipped
  double progress() const;                                // fraction of the file read, 0 to 1

  // Returns up to `most` further lines, and no rows at the end. Appends the cells of the label
  // columns to `labels`, line by line, as written; a missing label is an empty cell.
  Matrix next_rows(Index most, std::vector<std::string>* labels = nullptr);

  // Reads the remaining lines and keeps only their labels. Returns the number of lines.
  Index skip_rows(std::vector<std::string>& labels);

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

// A complete table.
struct CsvPoints {
  Points points;
  std::vector<std::string> label_columns;  // empty if there are none
  std::vector<std::string> label_cells;    // line by line
  std::vector<std::string> column_names;
  std::vector<std::string> notes;
};
CsvPoints load_csv(const std::filesystem::path& path, const std::string& labels = {});

// Returns `text` as a CSV field, quoted if necessary. CsvReader reads any text back, except for
// blanks around the names of classes and columns, which it strips.
std::string csv_field(std::string_view text);

// Writes features and labels, if any; an empty cell marks an unlabeled sample. Numbers read back
// exactly.
void save_csv(const std::filesystem::path& path, const Points& points, const Labels& labels);

}  // namespace stkr
