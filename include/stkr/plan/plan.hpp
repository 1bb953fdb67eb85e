#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stkr/dataset/dataset.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/specification/specification.hpp"

namespace stkr {

// Memory held in one phase of a run, in bytes.
struct MemoryUse {
  std::string phase;          // "reading", "preparing", "solving" or "ending"
  std::uint64_t program = 0;  // program, thread buffers, labels
  std::uint64_t samples = 0;  // points, edges or kernel values
  std::uint64_t gram = 0;     // what S adds to them
  std::uint64_t blocks = 0;   // N × columns, in solvers
  std::uint64_t system = 0;   // n × n or N × N, explicit
  std::uint64_t model = 0;    // c, f̂ and the predictions

  std::uint64_t total() const { return program + samples + gram + blocks + system + model; }
};

// The work of a run, most of it in products with S.
struct Work {
  double products = 0.0;
  double evaluations = 0.0;  // kernel evaluations
  double operations = 0.0;   // floating-point operations of products and evaluations
  double pairs = 0.0;        // pairs of points that a neighbor search compares
  double algebra = 0.0;      // operations of n × n and N × N factorizations

  Work& operator+=(const Work& other);
};

// One way to carry out a specification.
struct Strategy {
  std::string name;  // "kernel stored, explicit system"
  Execution execution;
  MemoryUse peak;              // upper bound, including retries after a failed attempt
  std::uint64_t expected = 0;  // peak bytes without retries
  std::uint64_t device = 0;    // bytes on the device, an upper bound; 0 on the CPU
  Work work;                   // upper bounds for iterative solvers
  bool fits = true;
};

struct Plan {
  ProblemShape shape;
  std::uint64_t memory = 0;            // allowed; 0: no limit
  std::uint64_t device_memory = 0;     // free on the device; 0 on the CPU
  std::vector<Strategy> strategies{};  // fastest first
  std::optional<std::size_t> chosen{};
  std::string why{};
};

// Lists every way to carry out a fit with its memory and work, and chooses the first that fits in
// context.memory and on context.device. The numbers are upper bounds on what stkr allocates; this
// function allocates nothing.
Plan plan_fit(const ProblemShape& shape, const Specification& spec, const Context& context = {});

// The plan's choice. Throws MemoryError, with the numbers of every strategy, if none fits.
const Execution& chosen_execution(const Plan& plan);
std::string describe_choice(const Plan& plan);  // "about 40 MB of 1 GB: graph, iterative"

}  // namespace stkr
