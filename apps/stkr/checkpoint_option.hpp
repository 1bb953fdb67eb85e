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

// The state of one run, where --checkpoint asks for one. After an interruption it says how to go
// on.
class KeptState {
 public:
  // The run is what decides its result: the command with its options, the data, the way of
  // computing that the memory allows, and `more`.
  KeptState(const CheckpointOption& option, const CLI::App& command, const Dataset& dataset,
            const Recipe& recipe, const std::string& more = "");
  ~KeptState();
  KeptState(const KeptState&) = delete;
  KeptState& operator=(const KeptState&) = delete;

  SavedState* get() const { return state_.get(); }  // may be null
  // The result is safe: the state is not needed any more.
  void finish();

 private:
  std::unique_ptr<StateFile> state_;
};

}  // namespace stkr::app
