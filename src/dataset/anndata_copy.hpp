#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace stkr {

// A column of obs, with one value per cell.
struct CategoricalColumn {
  std::vector<std::string> categories;
  std::vector<std::int32_t> codes;  // -1: missing
};
struct ObsColumn {
  std::string name;
  std::variant<CategoricalColumn, std::vector<double>, std::vector<char>> values;  // char: booleans
};

// Copies an AnnData file and adds columns to obs, as anndata 0.8 and later encode them; columns
// with these names are replaced. The target appears complete or not at all. Throws DataError if the
// source is not AnnData with so many cells, and WriteError if the target cannot be written.
void copy_anndata(const std::filesystem::path& source, const std::filesystem::path& target,
                  std::span<const ObsColumn> columns);

}  // namespace stkr
