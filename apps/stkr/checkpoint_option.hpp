#pragma once

#include <memory>
#include <string>

#include "format/state_file.hpp"
#include "linop/saved_state.hpp"
#include "stkr/dataset/dataset.hpp"
#include "stkr/model/fit_model.hpp"

namespace CLI {
class App;
}

namespace stkr::app {

// --checkpoint FILE: where a long run saves its progress.
struct CheckpointOption {
  std::string file;
  double interval = 60.0;  // seconds between two saves
};
void add_checkpoint_option(CLI::App& command, CheckpointOption& option);

// The state of one run if --checkpoint is given. After an interruption, says how to resume.
class KeptState {
 public:
  // A run is identified by what determines its result: the command with its options, the data, the
  // execution that the memory budget allows, and `more`.
  KeptState(const CheckpointOption& option, const CLI::App& command, const Dataset& dataset,
            const Execution& way, const std::string& more = "");
  ~KeptState();
  KeptState(const KeptState&) = delete;
  KeptState& operator=(const KeptState&) = delete;

  SavedState* get() const { return state_.get(); }  // may be null
  // The result is written: deletes the state.
  void finish();

 private:
  std::unique_ptr<StateFile> state_;
};

}  // namespace stkr::app
