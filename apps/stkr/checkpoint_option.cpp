#include "checkpoint_option.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "cli.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "standard_streams.hpp"
#include "stkr/version.hpp"

namespace stkr::app {
namespace {

// Options that affect neither a model nor a score.
constexpr std::array<std::string_view, 15> kWithoutEffect{
    "--engine",         "--output",  "--checkpoint", "--checkpoint-interval",
    "--json",           "--threads", "--device",     "--memory",
    "--list-unreached", "--top",     "--plot",       "--html",
    "--image",          "--verbose", "--quiet"};

std::string options_of(const CLI::App& command) {
  std::string text = command.get_name();
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || option->get_positional() ||
        std::find(kWithoutEffect.begin(), kWithoutEffect.end(), name) != kWithoutEffect.end()) {
      continue;
    }
    text += fmt::format(" {}={}", name, fmt::join(option->results(), ","));
  }
  return text;
}

}  // namespace

void add_checkpoint_option(CLI::App& command, CheckpointOption& option) {
  command
      .add_option(
          "--checkpoint", option.file,
          "Save the state of a long run to this file; the same command resumes from it with "
          "bit-identical results. Removed when the run ends")
      ->check(not_empty())
      ->option_text("FILE");
  command
      .add_option("--checkpoint-interval", option.interval, "Seconds between saves (default: 60)")
      ->check(CLI::NonNegativeNumber)
      ->option_text("S");
}

KeptState::KeptState(const CheckpointOption& option, const CLI::App& command,
                     const Dataset& dataset, const Execution& way, const std::string& more) {
  if (option.file.empty()) return;
  const std::string run = fmt::format(
      "stkr {}; {}; data {}; tiles {}, blocks {}, outputs {}, direct {}, factorize {}, diagonalize "
      "{}, single {}{}",
      kVersion, options_of(command), fingerprint(dataset, dataset.features.has_value()),
      static_cast<int>(way.tiles), way.block_bytes, way.outputs_at_once, way.most_direct,
      way.factorize_below, way.diagonalize_below, way.single_precision, more);
  state_ =
      std::make_unique<StateFile>(option.file, run, std::chrono::duration<double>(option.interval));
  if (state_->resumed()) note(fmt::format("resuming from {}", option.file));
}

KeptState::~KeptState() {
  if (!state_ || !interrupt_token().stop_requested()) return;
  note(fmt::format("the state is saved in {}; run the same command to resume",
                   state_->path().string()));
}

void KeptState::finish() {
  if (state_) state_->remove();
  state_.reset();
}

}  // namespace stkr::app
