#include "kept_shared_state.hpp"

#include <fmt/format.h>

#include "cli.hpp"
#include "standard_streams.hpp"

namespace stkr::petsc {

KeptSharedState::KeptSharedState(const Session& session, const app::CheckpointOption& option,
                                 const CLI::App& command, const std::string& fingerprint,
                                 Execution& way, const std::string& more)
    : file_(option.file) {
  if (file_.empty()) return;
  state_ = std::make_unique<SharedState>(
      session.comm(), file_, app::checkpoint_run(command, fingerprint, more),
      std::chrono::duration<double>(option.interval), app::checkpoint_way(way));
  if (!state_->resumed()) return;
  app::note(fmt::format("resuming from {}", file_));
  // The state has the blocks of its run's batches; how many columns of the system are formed at a
  // time is up to the memory of this one.
  const Execution saved = app::execution_of(state_->way());
  way.outputs_at_once = saved.outputs_at_once;
  way.most_direct = saved.most_direct;
  way.factorize_below = saved.factorize_below;
  way.diagonalize_below = saved.diagonalize_below;
  way.single_precision = saved.single_precision;
}

void KeptSharedState::say_how_to_resume() const {
  if (state_) app::note(app::how_to_resume(file_));
}

void KeptSharedState::finish() {
  if (state_) state_->remove();
  state_.reset();
}

}  // namespace stkr::petsc
