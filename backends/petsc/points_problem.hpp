#pragma once

#include "engine_problem.hpp"

namespace stkr::petsc {

// Dense points in a file. Called by all processes.
std::unique_ptr<EngineProblem> read_points_problem(const Session& session,
                                                   const ProblemSource& source);

}  // namespace stkr::petsc
