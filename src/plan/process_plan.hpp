#pragma once

#include <functional>

#include "dataset/graph_shares.hpp"
#include "stkr/plan/plan.hpp"

namespace stkr {

// What a process has that shares the samples of a fit with others: the most that any of them has.
struct ProcessShare {
  ProblemShape shape;  // its own samples; all labels
  Index others = 0;    // rows of other processes that a product may need, at most: its halo
};

// Of a graph, whose shape says how many nodes and labels there are.
ProcessShare graph_process_share(const ProblemShape& whole, const GraphShare& share);

// The libraries of the engine (MPI, PETSc, SLEPc) and their buffers, in bytes.
inline constexpr std::uint64_t kEngineMemory = 24'000'000;

// Plans with `plan` (plan_fit, plan_selection) what one process of several does, in the memory that
// context.memory allows each of them: its share, and what the engine adds. `stkr plan` and the
// engine itself decide by this.
using PlanShare = std::function<Plan(const ProblemShape& shape, const Context& context)>;
Plan plan_process(const ProcessShare& share, const Context& context, const PlanShare& plan);

}  // namespace stkr
