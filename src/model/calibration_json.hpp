#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "stkr/estimator/decision.hpp"

namespace stkr {

// How models keep the calibration of a decision: an entry of its JSON.
void add_calibration(const std::optional<Calibration>& calibration, nlohmann::json& decision);

// Also that of earlier models, with one temperature. Throws ValueError if it makes no sense.
std::optional<Calibration> calibration_from_json(const nlohmann::json& decision,
                                                 std::size_t classes);

}  // namespace stkr
