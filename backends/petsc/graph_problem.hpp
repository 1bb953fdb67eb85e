#pragma once

#include "engine_problem.hpp"
#include "shared_graph.hpp"

namespace stkr::petsc {

std::unique_ptr<EngineProblem> graph_problem(SharedGraph graph);

// A graph in a file. Called by all processes.
std::unique_ptr<EngineProblem> read_graph_problem(const Session& session,
                                                  const ProblemSource& source);

}  // namespace stkr::petsc
