#pragma once

#include <nlohmann/json.hpp>

#include "stkr/dataset/table_encoding.hpp"

// The encoding of tables in a model file.
namespace stkr {

nlohmann::json encoding_to_json(const TableEncoding& encoding);

// Throws ValueError unless the tree is an encoding, and exceptions of nlohmann::json.
TableEncoding encoding_from_json(const nlohmann::json& tree);

}  // namespace stkr
