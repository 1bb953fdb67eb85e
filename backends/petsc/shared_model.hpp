#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "row_layout.hpp"
#include "stkr/model/model.hpp"

namespace stkr::petsc {

// Writes the ordinary model file of all rows; `model` has those of this process. Rows go through
// the first process in their order, in parts of bounded size. Throws in all processes; an existing
// file is then unchanged. `names` are those of all samples, in the first process alone, if they
// have any.
void save_model(const Model& model, const CrossKernel& cross, const RowLayout& layout,
                const std::filesystem::path& path, const std::vector<std::string>& names = {});

}  // namespace stkr::petsc
