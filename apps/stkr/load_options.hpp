#pragma once

#include "stkr/dataset/load_dataset.hpp"

namespace CLI {
class App;
}

namespace stkr::app {

// --labels, --labeled, --minus-one-is-class, --task, --kind, --symmetrize, --duplicates,
// --features, and for tables --id, --drop, --categorical, --missing, --impute, --standardize,
// --header,
// --no-header.
void add_load_options(CLI::App& command, LoadOptions& options);
// Only --duplicates, for new edges.
void add_duplicates_option(CLI::App& command, DuplicateEdges& duplicates);

}  // namespace stkr::app
