#pragma once

#include <memory>

#include "checkpoint_option.hpp"
#include "session.hpp"
#include "shared_state.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {

// The state of one run of the engine if --checkpoint is given: KeptState for many processes, which
// all call its functions together.
class KeptSharedState {
 public:
  // A run is identified by the command with its options, the data and `more`, not by the number of
  // processes or their memory: a run that resumes takes over from the state how it is computed.
  KeptSharedState(const Session& session, const app::CheckpointOption& option,
                  const CLI::App& command, const std::string& fingerprint, Execution& way,
                  const std::string& more = "");

  SavedState* get() const { return state_.get(); }  // may be null
  // Runs the work that saves the state. After an interruption, says how to resume.
  template <class Work>
  auto run(Work&& work) const {
    try {
      return work();
    } catch (const Cancelled&) {
      say_how_to_resume();
      throw;
    }
  }
  // The result is written: deletes the state.
  void finish();

 private:
  void say_how_to_resume() const;

  std::string file_;
  std::unique_ptr<SharedState> state_;
};

}  // namespace stkr::petsc
