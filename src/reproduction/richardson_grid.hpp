#pragma once

#include <functional>
#include <vector>

#include "selection/transformed_blocks.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/selection/select.hpp"

namespace stkr {

// The grid with the paper's own solver: Algorithms 1 and 2 (estimator/stkr_prop) stopped after T
// steps, with T as a further dimension. Early stopping acts as a second, stronger ridge: T steps
// cannot fit directions whose eigenvalue is far below the largest, however small β is.
inline const std::vector<int> kPaperSteps{1, 2, 4, 8, 16, 32};

// Returns powers, then inverse Laplacians: parameters in the given order, then β, then T.
std::vector<GridPoint> richardson_points(const Grid& grid, const std::vector<int>& steps);

// Receives f at the scored samples for every point, identified by its index in richardson_points.
// Called from several threads at once.
using RichardsonSink = std::function<void(std::size_t place, Matrix f)>;

// Algorithm 1 for powers: T steps are a function of the eigenvalues of the n × n system, so that
// one eigendecomposition serves all β and T. Algorithm 2 for inverse Laplacians: all (η, β)
// together in one block, one product per step. Step sizes are those of estimator/stkr_prop:
// 1/λ_max of the system of each point. η is in units of 1/λ₁ as in Grid.
BlockSummary richardson_predictions(const GramOperator& gram, const KernelRows& rows,
                                    ConstMatrixRef y, const Grid& grid,
                                    const std::vector<int>& steps, const RichardsonSink& sink,
                                    const BlockOptions& options, const Context& context = {});

// select_by_split for the powers and inverse Laplacians of the grid; GridPoint::iterations is T.
Selection select_by_richardson(const Dataset& dataset, const Specification& spec,
                               const FourWaySplit& split, Setting setting,
                               const SelectOptions& options, const Context& context = {},
                               const std::vector<int>& steps = kPaperSteps);

}  // namespace stkr
