#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "stkr/model/model.hpp"

namespace stkr {

// The member of a model file that is not an array, and what it says besides the cross kernel.
// `named`: the file has the names of all samples.
inline constexpr const char* kModelMetadata = "model.json";
nlohmann::json model_metadata(const Model& model, bool named);

// The decision of a model of so many samples, from that member. Throws ValueError, or an exception
// of the JSON library.
Decision model_decision(const nlohmann::json& metadata, Index size);

}  // namespace stkr
