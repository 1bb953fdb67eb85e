#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "stkr/matrix.hpp"

namespace stkr {

// A table of texts, column by column: predictions, or labels to compare them with.
struct ColumnTable {
  std::string where;  // the file, for messages
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> columns;

  Index rows() const { return columns.empty() ? 0 : static_cast<Index>(columns.front().size()); }
  const std::vector<std::string>* find(std::string_view name) const;  // null if there is none
  // Throws DataError, with the columns there are and the name that was probably meant.
  const std::vector<std::string>& column(std::string_view name) const;
};

enum class TableFormat { delimited, json_lines, npz };

// Whether a file is such a table by its extension (.csv, .tsv, .jsonl, .ndjson) or by `format`.
bool is_column_table(const std::filesystem::path& path, const std::string& format = {});

// Reads a table with a header (separated by commas, semicolons or tabs), JSON lines (one object per
// line, with texts, numbers, true, false or null), or an .npz archive: its vectors are columns, and
// a matrix `scores` or `probabilities` becomes score_NAME or probability_NAME with the names in
// `classes` or `targets`. `format` is one of csv, tsv, jsonl and npz; empty: by the extension.
// Throws DataError with the file and place.
ColumnTable load_columns(const std::filesystem::path& path, const std::string& format = {});

}  // namespace stkr
