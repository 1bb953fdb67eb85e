#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "stkr/model/fit_model.hpp"

namespace stkr::app {

// What a fit chose, for --json: numbers in full, with the names of the options ("length_scale").
nlohmann::json choices_json(const std::vector<Choice>& choices);

// {"name": "rbf", "length_scale": 0.157, "normalize": true, "text": "rbf(length_scale=0.1577),
// ..."}; a sum of kernels is a list of these.
nlohmann::json kernel_json(const Specification& spec, DatasetKind kind,
                           const std::vector<Choice>& choices);

// Adds method and transform with their parameters: "transform": {"name": "power", "power": 4}.
void add_method(const Specification& spec, const std::vector<Choice>& choices,
                nlohmann::json& document);

}  // namespace stkr::app
