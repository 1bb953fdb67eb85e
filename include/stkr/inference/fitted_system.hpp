#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stkr/estimator/decision.hpp"
#include "stkr/estimator/fit.hpp"

namespace stkr {

// What remains of a fit to answer questions about its predictions: how certain they are, which
// labels they come from, and which label would help most. Such questions need K̂_s between samples
// and labels, which a model for predictions does not keep.
struct FittedSystem {
  std::shared_ptr<const GramOperator> gram;
  EncodedTargets targets;          // labels, Y, and whether a constant is free
  std::vector<AverageTerm> terms;  // transforms and ridges: f = Σ w_k f_k/Σ w_k
  double tolerance = 1e-8;         // of the fit
  int max_iterations = 1000;
  Execution execution{};

  Index size() const { return gram->size(); }                                  // N
  Index labels() const { return static_cast<Index>(targets.labeled.size()); }  // n
};

// Throws ValueError, saying what is missing, unless the system has a gram without weights, terms
// and at most execution.most_direct labels. `who` starts the message.
void check_system(const FittedSystem& system, const char* who);

}  // namespace stkr
