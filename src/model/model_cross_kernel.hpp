#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "format/npz.hpp"
#include "stkr/gram/cross_kernel.hpp"

// The cross kernel of a model file: arrays are members cross.<name> of the archive, the rest is a
// JSON tree.
namespace stkr {

nlohmann::json save_cross_kernel(const CrossKernel& cross, NpzWriter& writer);

// Throws DataError, with the path, and exceptions of nlohmann::json.
std::unique_ptr<CrossKernel> load_cross_kernel(const NpzReader& reader, const nlohmann::json& tree,
                                               const CrossKernelRegistry& registry, int threads,
                                               const Device& device = {});

}  // namespace stkr
