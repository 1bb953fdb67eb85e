#include "checkpoint_option.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "cli.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"
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

std::string checkpoint_run(const CLI::App& command, const std::string& fingerprint,
                           const std::string& more) {
  return fmt::format("stkr {}; {}; data {}{}", kVersion, options_of(command), fingerprint, more);
}

std::string checkpoint_way(const Execution& way) {
  return nlohmann::json{
      {"tiles", static_cast<int>(way.tiles)},    {"block_bytes", way.block_bytes},
      {"outputs_at_once", way.outputs_at_once},  {"most_direct", way.most_direct},
      {"factorize_below", way.factorize_below},  {"diagonalize_below", way.diagonalize_below},
      {"single_precision", way.single_precision}}
      .dump();
}

Execution execution_of(const std::string& checkpoint_way) {
  Execution way;
  try {
    const nlohmann::json values = nlohmann::json::parse(checkpoint_way);
    way.tiles = static_cast<Tiles>(values.at("tiles").get<int>());
    values.at("block_bytes").get_to(way.block_bytes);
    values.at("outputs_at_once").get_to(way.outputs_at_once);
    values.at("most_direct").get_to(way.most_direct);
    values.at("factorize_below").get_to(way.factorize_below);
    values.at("diagonalize_below").get_to(way.diagonalize_below);
    values.at("single_precision").get_to(way.single_precision);
  } catch (const nlohmann::json::exception&) {
    throw DataError("the saved state does not say how its run is computed; remove it");
  }
  return way;
}

std::string how_to_resume(const std::string& file) {
  return fmt::format("the state is saved in {}; run the same command to resume", file);
}

KeptState::KeptState(const CheckpointOption& option, const CLI::App& command,
                     const Dataset& dataset, const Execution& way, const std::string& more) {
  if (option.file.empty()) return;
  const std::string own = checkpoint_way(way);
  state_ = std::make_unique<StateFile>(
      option.file,
      checkpoint_run(command, fingerprint(dataset, dataset.features.has_value()), more),
      std::chrono::duration<double>(option.interval), own);
  if (state_->way() != own) {
    throw DataError(fmt::format(
        "{}: is the state of a run that another memory budget made run otherwise; give the "
        "--memory of that run or another path, or remove the file to start over",
        option.file));
  }
  if (state_->resumed()) note(fmt::format("resuming from {}", option.file));
}

KeptState::~KeptState() {
  if (!state_ || !interrupt_token().stop_requested()) return;
  note(how_to_resume(state_->path().string()));
}

void KeptState::finish() {
  if (state_) state_->remove();
  state_.reset();
}

}  // namespace stkr::app
