#include "engine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "cli.hpp"
#include "command.hpp"
#include "stkr/error.hpp"

namespace stkr::app {
namespace {

constexpr const char* kOption = "--engine";
constexpr const char* kPetsc = "petsc";
constexpr const char* kRanks = "--ranks";

// Beside this program, however it was started; empty if it is not there.
std::filesystem::path engine_program() {
  std::error_code error;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return {};
  auto program = own.parent_path() / "stkr-petsc";
  return ::access(program.c_str(), X_OK) == 0 ? program : std::filesystem::path();
}

[[noreturn]] void start(const std::filesystem::path& program, char** argv) {
  ::execv(program.c_str(), argv);
  throw Error(fmt::format("{}: cannot be started: {}", program.string(), std::strerror(errno)));
}

}  // namespace

void add_engine_option(CLI::App& command) {
  command
      .add_option(kOption,
                  "What runs it: host, or petsc for many processes (mpirun -n P stkr ...); see "
                  "docs/distributed.md (default: host)")
      ->transform(one_of({"host", kPetsc}))
      ->option_text("NAME");
}

void hand_over(const CLI::App& command, char** argv) {
  const CLI::Option* option = command.get_option_no_throw(kOption);
  if (!option || option->count() == 0 || option->as<std::string>() != kPetsc) return;
  const CLI::Option* ranks = command.get_option_no_throw(kRanks);
  if (ranks && ranks->count() > 0) return;
  const std::filesystem::path program = engine_program();
  if (program.empty()) {
    throw CLI::ValidationError(
        kOption,
        "this installation has no PETSc engine (the program stkr-petsc beside stkr); install PETSc "
        "and SLEPc (Debian: petsc64-dev slepc64-dev) and build stkr with -DSTKR_PETSC=ON");
  }
  start(program, argv);
}

void hand_over_usage_error(const CLI::App& command, char** argv) {
  if (!command.get_option_no_throw(kOption)) return;
  // The parser may have stopped before the option.
  bool asked = false;
  for (char** word = argv + 1; *word; ++word) {
    const std::string_view text = *word;
    if (text == kRanks || text.starts_with("--ranks=")) return;
    asked = asked || text == "--engine=petsc" ||
            (text == kPetsc && *(word - 1) == std::string_view(kOption));
  }
  const std::filesystem::path program = engine_program();
  if (asked && !program.empty()) start(program, argv);
}

std::string engines() { return engine_program().empty() ? "host" : "host, petsc"; }

}  // namespace stkr::app
