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

// What identifies a run for its state: the command with its options, the data, and `more`.
std::string checkpoint_run(const CLI::App& command, const std::string& fingerprint,
                           const std::string& more = "");

// How a run is computed, for its state, and back. Throws DataError for any other text.
std::string checkpoint_way(const Execution& way);
Execution execution_of(const std::string& checkpoint_way);

// What to do after an interruption.
std::string how_to_resume(const std::string& file);

// The state of one run if --checkpoint is given. After an interruption, says how to resume.
class KeptState {
 public:
  // Refuses the state of another run, or of one with the execution of another memory budget.
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
