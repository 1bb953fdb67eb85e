#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stkr/dataset/dataset.hpp"

namespace stkr {

// A table of points: one line per sample, numeric columns as features, at most one column of
// labels.
struct CsvPoints {
  Points points;
  bool has_labels = false;
  std::string label_column;
  std::vector<std::string> label_cells;   // as written; empty for a missing label
  std::vector<std::string> column_names;  // all of them
  std::vector<std::string> notes;         // columns left out
};

// Fields are separated by commas, semicolons or tabs, and may be quoted. The first line names the
// columns, unless all its fields are numbers; columns without names are then called 0, 1, ...
// `label_column` may be empty: then label, class, target or y, in any case. A column whose name is
// empty, as pandas writes its row index, is left out. Throws DataError with line and column for
// anything but a finite number in a feature, and for lines of differing length.
CsvPoints load_csv(const std::filesystem::path& path, const std::string& label_column = {});

// What load_csv would find, but for the values: one pass over the lines, which only keeps labels.
struct CsvShape {
  Index rows = 0;
  Index features = 0;
  bool has_labels = false;
  std::string label_column{};
  std::vector<std::string> label_cells{};
  std::vector<std::string> column_names{};
};
CsvShape read_csv_shape(const std::filesystem::path& path, const std::string& label_column = {});

// Features and, where there are any, labels: an empty cell is unlabelled. Numbers read back
// exactly.
void save_csv(const std::filesystem::path& path, const Points& points, const Labels& labels);

}  // namespace stkr
