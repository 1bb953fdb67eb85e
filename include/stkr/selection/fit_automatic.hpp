#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stkr/model/fit_model.hpp"
#include "stkr/plan/plan.hpp"

namespace stkr {

// A kernel that fit_automatic tried.
struct TriedAutomatically {
  std::string kernel;
  std::optional<double> score{};  // none if it was left out, or if there was nothing to compare
  std::string best{};             // its best transform and ridge
  std::string left_out{};         // why
};

struct AutomaticFit {
  FittedModel fitted;
  Specification spec;                     // repeats the fit, with nothing open
  std::vector<TriedAutomatically> tried;  // best first
  std::string scored_by;            // "log likelihood of labels left out"; empty: fixed choice
  std::uint64_t planned_bytes = 0;  // peak memory of everything tried, as planned
};

// fit_model, with the kernel, the transform and the ridge of STKR chosen by data if the
// specification leaves them open:
//   kernel      points: neighbor graphs, and for few points a complete self-tuned graph, an RBF and
//               a cosine kernel (regression: RBFs, linear, a neighbor graph); graphs: the lazy walk
//   transform   powers, inverse Laplacians and Poisson transforms
//   ridge       a wide range
// Every label is left out once, in closed form, and all transforms and ridges of a kernel cost
// about as much as one fit. The kernel with the best score is used, with an average over its
// transforms and ridges, weighted by exp(score) (estimator/average). With too few labels to leave
// one out, the choice is fixed: the neighbor graph or the graph's walk, Poisson learning, ridge
// 0.01. The result depends on the seed only, never on the number of threads.
//
// Errors are those of fit_model. A kernel that does not fit in context.memory is left out.
AutomaticFit fit_automatic(Dataset& dataset, const Specification& spec,
                           const Context& context = {});

// The same for a caller's own gram: chooses the transform and the ridge.
AutomaticFit fit_automatic(PreparedGram prepared, const Labels& labels, const Specification& spec,
                           const Execution& execution = {}, const Context& context = {},
                           ModelInfo info = {});

// Makes the gram of the kernel that a specification names.
using PrepareGram = std::function<PreparedGram(const Specification&)>;

// The same in processes that share the samples: `whole` is the shape of all, `labels` are those of
// this process. The last gram that was prepared is the one of the fit. Throws ValueError for points
// that are so few that labels choose among several kernels.
AutomaticFit fit_automatic(const PrepareGram& prepare, const ProblemShape& whole,
                           const Labels& labels, const Specification& spec,
                           const Execution& execution = {}, const Context& context = {},
                           ModelInfo info = {});

// The specification that is used if labels cannot choose: what to plan memory for.
Specification planned_specification(const Dataset& dataset, const Specification& spec);
Specification planned_specification(const ProblemShape& shape, const Specification& spec);

}  // namespace stkr
