#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dataset/table.hpp"
#include "stkr/dataset/load_dataset.hpp"

namespace stkr::detail {

// undecided: for display only.
enum class ColumnRole { feature, label, id, row_number, ignored, undecided };
std::string_view role_name(ColumnRole role);

// What each column of a table is for.
struct TableColumns {
  std::vector<ColumnRole> roles{};      // one per column
  std::vector<std::size_t> labels{};    // in the order that was asked for
  std::optional<std::size_t> id{};      // an unnamed first column is one unless it counts 0, 1, ...
  std::vector<std::size_t> features{};  // in the order of their features
  std::vector<std::string> notes{};     // on decisions that nobody asked for
};

// The name of the ids in an unnamed first column.
inline constexpr std::string_view kRowNames = "row_name";

// "length, width, color", the first 20, for messages.
std::string listed(const std::vector<std::string>& names);

// Whether a column is the labels or the ids by its name, in any case.
bool is_usual_label(const std::string& name);
bool is_usual_id(const std::string& name);

// Assigns roles by the options and the names, before any cell is read. Labels: LoadOptions::labels,
// or the column label, labels, class, target or y, in any case. Ids: LoadOptions::id, or the column
// id or index, in any case, or an unnamed first column. Other unnamed columns are ignored. Throws
// DataError for names that the table does not have, for several columns that may be labels, and for
// the header of an edge list.
TableColumns assign_columns(const Table& table, const LoadOptions& options);

// The same for new samples of a model: columns are found by the names in the encoding, or by their
// order if names are missing on either side. Throws DataError if a column of the encoding is
// missing or an unknown one is there.
TableColumns match_columns(const Table& table, const TableEncoding& encoding);

}  // namespace stkr::detail
