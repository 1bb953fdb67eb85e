#include "engine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

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
  ::execv(program.c_str(), argv);
  throw Error(fmt::format("{}: cannot be started: {}", program.string(), std::strerror(errno)));
}

std::string engines() { return engine_program().empty() ? "host" : "host, petsc"; }

}  // namespace stkr::app
