#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "stkr/dataset/dataset.hpp"
#include "stkr/dataset/state_file.hpp"
#include "stkr/estimator/recipe.hpp"

namespace stkr::app {

// --checkpoint FILE: where a long run keeps how far it is.
struct CheckpointOption {
  std::string file;
  double interval = 60.0;  // seconds between two saves
};
void add_checkpoint_option(CLI::App& command, CheckpointOption& option);

// The state of this run, or null without --checkpoint. The run is what decides its result: the
// command with its options, the data, and the way of computing that the memory allows.
std::unique_ptr<StateFile> open_checkpoint(const CheckpointOption& option, const CLI::App& command,
                                           const Dataset& dataset, const Recipe& recipe);

// After an interruption.
void say_where_to_go_on(const StateFile* state);

}  // namespace stkr::app
