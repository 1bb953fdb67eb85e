#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/table_profile.hpp"
#include "stkr/dataset/dataset.hpp"
#include "stkr/dataset/load_dataset.hpp"

namespace stkr {

// Reads the lines of a table as points, a few at a time, by an encoding.
class CsvReader {
 public:
  // The table that was profiled. If LoadOptions::impute is set and the encoding has no fills yet,
  // missing numbers and truth values are NaN.
  CsvReader(const std::filesystem::path& path, const TableProfile& profile,
            const LoadOptions& options, TableEncoding encoding);
  // New samples of a model; `header` as in LoadOptions.
  CsvReader(const std::filesystem::path& path, const TableEncoding& encoding,
            std::optional<bool> header = {});
  // A table without an encoding: every column that assign_columns makes a feature must be numeric.
  CsvReader(const std::filesystem::path& path, const LoadOptions& options);
  ~CsvReader();

  Index features() const;
  // Names of the features; empty without a header.
  const std::vector<std::string>& feature_names() const;
  const std::vector<std::string>& label_columns() const;  // the label columns found
  const std::string& id_column() const;                   // empty if there is none
  const std::vector<std::string>& notes() const;
  double progress() const;  // fraction of the file read, 0 to 1

  // Returns up to `most` further lines, and no rows at the end. Appends the cells of the label
  // columns to `labels`, line by line, and the ids to `ids`. Throws DataError with the line and
  // column if a feature is not a finite number or if lines differ in length.
  Matrix next_rows(Index most, std::vector<std::string>* labels = nullptr,
                   std::vector<std::string>* ids = nullptr);

  // On what was read so far: texts that are no level of their category.
  std::vector<std::string> warnings() const;

 private:
  struct Lines;
  std::unique_ptr<Lines> lines_;
};

// A complete table.
struct CsvPoints {
  Points points;
  TableEncoding encoding{};
  std::vector<std::string> label_columns{};  // empty if there are none
  std::vector<std::string> label_cells{};    // line by line; a missing label is as written
  std::vector<std::string> ids{};            // empty if there are none
  std::vector<std::string> column_names{};   // of all columns
  std::vector<std::string> notes{};
};
CsvPoints load_csv(const std::filesystem::path& path, const LoadOptions& options = {});

// Returns `text` as a CSV field, quoted if necessary or wanted. CsvReader reads any text back,
// except for blanks around the names of classes and columns, which it strips. Throws ValueError for
// a zero byte, which no text file may contain.
std::string csv_field(std::string_view text, bool quote = false);

// Writes ids, if any, features and labels, if any; an empty cell marks an unlabeled sample. Numbers
// read back exactly. Returns notes for the user: how the file must be read.
std::vector<std::string> save_csv(const std::filesystem::path& path, const Points& points,
                                  const Labels& labels, std::span<const std::string> ids = {},
                                  const std::string& id_column = {});

}  // namespace stkr
