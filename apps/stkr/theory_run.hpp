#pragma once

#include <cstdint>
#include <string>

#include "command.hpp"
#include "reproduction/theory.hpp"

namespace stkr::app {

struct TheoryArguments {
  bool given = false;  // --theory
  int repetitions = TheoryOptions{}.repetitions;
  int samples = static_cast<int>(TheoryOptions{}.most_samples);
  std::uint64_t seed = 1;
  int threads = 0;
  std::string plot{};  // NAME.svg; empty: no pictures
  bool json = false;
  Verbosity verbosity = Verbosity::normal;
};

// --theory, --repetitions, --samples and --seed.
void add_theory_options(CLI::App& command, TheoryArguments& arguments);

// stkr reproduce --theory. Returns kFailed if a theorem does not hold.
int run_theory(const TheoryArguments& arguments);

}  // namespace stkr::app
