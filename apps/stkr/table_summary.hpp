#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "dataset/table_profile.hpp"

namespace stkr::app {

// The columns of a table of points, as the options read it; nullopt for other files, and for one
// that is no table. Does not throw DataError: `problem` says why the columns could not be told.
std::optional<TableProfile> table_columns(const std::string& input, const LoadOptions& options,
                                          std::string& problem);

// One line per column: what it is for, what its cells are, how many are missing, its values.
std::string describe_columns(const TableProfile& profile);
nlohmann::json columns_json(const TableProfile& profile);

}  // namespace stkr::app
