#include "engine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
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

// Ends all processes of a launch but the first, so that what this program itself does for the
// engine is done and said once. Not with an exit code of a failure: the launcher would end the
// first one, too.
void leave_to_first() {
  for (const char* name : {"PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK"}) {
    const char* rank = std::getenv(name);
    if (rank && rank != std::string_view("0")) std::exit(kDone);
  }
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
  const bool planned_here = ranks && ranks->count() > 0;
  const std::filesystem::path program = engine_program();
  if (!planned_here && !program.empty()) start(program, argv);
  leave_to_first();
  if (planned_here) return;
  throw CLI::ValidationError(
      kOption,
      "this installation has no PETSc engine (the program stkr-petsc beside stkr); install PETSc "
      "and SLEPc (Debian: petsc64-dev slepc64-dev) and build stkr with -DSTKR_PETSC=ON");
}

void hand_over_message(const CLI::App& command, char** argv, bool error) {
  if (!command.get_option_no_throw(kOption)) return;
  // The parser may have stopped before the options.
  bool asked = false, planned_here = false;
  for (char** word = argv + 1; *word; ++word) {
    const std::string_view text = *word;
    asked = asked || text == "--engine=petsc" ||
            (text == kPetsc && *(word - 1) == std::string_view(kOption));
    planned_here = planned_here || text == kRanks || text.starts_with("--ranks=");
  }
  if (!asked) return;
  planned_here = planned_here && command.get_option_no_throw(kRanks);
  const std::filesystem::path program = engine_program();
  if (error && !planned_here && !program.empty()) start(program, argv);
  leave_to_first();
}

std::string engines() { return engine_program().empty() ? "host" : "host, petsc"; }

}  // namespace stkr::app
