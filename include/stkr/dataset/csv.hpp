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
// Fields are separated by commas, semicolons or tabs, and may be quoted. The first line names the
// columns in UTF-8, unless all its fields are numbers or missing; columns without names are then
// called 0, 1, ...
// `labels` names a column, or several with commas between; empty: label, class, target or y, in any
// case. A column whose name is empty, as pandas writes its row index, is left out. Throws DataError
// with line and column for anything but a finite number in a feature, and for lines of differing
// length.
class CsvReader {
 public:
  // A column that is one of `features` is no label, whatever its name: y may be either.
  explicit CsvReader(const std::filesystem::path& path, const std::string& labels = {},
                     std::span<const std::string> features = {});
  ~CsvReader();

  Index features() const;
  const std::vector<std::string>& feature_names() const;  // empty without a header
  const std::vector<std::string>& column_names() const;   // all of them
  const std::vector<std::string>& label_columns() const;  // those that were found
  const std::vector<std::string>& notes() const;          // columns left out
  double progress() const;                                // the share of the file read, 0 to 1

  // At most `most` further lines, none at the end. The cells of the label columns, as written and
  // empty for a missing label, are appended to `labels`, line after line.
  Matrix next_rows(Index most, std::vector<std::string>* labels = nullptr);

  // Goes over the lines that are left and keeps only their labels; how many there were.
  Index skip_rows(std::vector<std::string>& labels);

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

// The whole of it.
struct CsvPoints {
  Points points;
  std::vector<std::string> label_columns;  // empty for none
  std::vector<std::string> label_cells;    // of a line together
  std::vector<std::string> column_names;
  std::vector<std::string> notes;
};
CsvPoints load_csv(const std::filesystem::path& path, const std::string& labels = {});

// A field of a table, quoted where it has to be: CsvReader reads it back whatever it holds, though
// not blanks around the names of classes and columns, which it never keeps.
std::string csv_field(std::string_view text);

// Features and, where there are any, labels: an empty cell is unlabeled. Numbers read back
// exactly.
void save_csv(const std::filesystem::path& path, const Points& points, const Labels& labels);

}  // namespace stkr
