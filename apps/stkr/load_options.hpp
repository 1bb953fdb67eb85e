#pragma once

#include <CLI/App.hpp>

#include "stkr/dataset/load_dataset.hpp"

namespace stkr::app {

// --labels, --labeled, --minus-one-is-class, --task, --kind, --symmetrize, --features.
void add_load_options(CLI::App& command, LoadOptions& options);

}  // namespace stkr::app
