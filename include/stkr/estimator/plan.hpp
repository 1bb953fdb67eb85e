#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stkr/estimator/gram_cost.hpp"

namespace stkr {

// What is held at one moment of a run, in bytes.
struct MemoryUse {
  std::string phase;          // "reading", "preparing", "solving" or "ending"
  std::uint64_t program = 0;  // itself, buffers of its threads, labels
  std::uint64_t samples = 0;  // points, edges or kernel values
  std::uint64_t gram = 0;     // what S adds to them
  std::uint64_t blocks = 0;   // N × columns, of solvers
  std::uint64_t system = 0;   // n × n or N × N, explicit
  std::uint64_t model = 0;    // c, f̂ and the answers

  std::uint64_t total() const { return program + samples + gram + blocks + system + model; }
};

// One way to carry out a recipe.
struct Strategy {
  std::string name;  // "kernel kept, explicit system"
  Execution execution;
  bool single_precision = false;
  MemoryUse peak;              // at most: with what follows where a first attempt fails
  std::uint64_t expected = 0;  // bytes at the peak where it does not
  Work work;                   // bounds, where a solver iterates
  bool fits = true;
};

struct Plan {
  ProblemShape shape;
  std::uint64_t memory = 0;            // allowed; 0: no limit
  std::vector<Strategy> strategies{};  // fastest first
  std::optional<std::size_t> chosen{};
  std::string why{};
};

// What a fit would take in every way it could be done, and which way is taken: the first that fits
// in recipe.memory. The numbers bound what stkr allocates; nothing is allocated here.
Plan plan_fit(const ProblemShape& shape, const Recipe& recipe);

// `recipe` in the way the plan chose. Throws MemoryError, with the numbers of every strategy, where
// none fits.
Recipe carried_out(const Plan& plan, Recipe recipe);
Choice choice_of(const Plan& plan);

// One strategy in several degrees of thrift, the roomiest first: the first that fits, else the
// last.
Strategy first_that_fits(std::uint64_t memory, std::vector<Strategy> thriftier);
// Picks the first strategy of a plan that fits, and says why.
void choose(Plan& plan);

}  // namespace stkr
