#pragma once

#include "stkr/dataset/load_dataset.hpp"

namespace CLI {
class App;
}

namespace stkr::app {

// --labels, --labeled, --minus-one-is-class, --task, --kind, --symmetrize, --features.
void add_load_options(CLI::App& command, LoadOptions& options);

}  // namespace stkr::app
