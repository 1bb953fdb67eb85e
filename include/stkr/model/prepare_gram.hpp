#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stkr/dataset/dataset.hpp"
#include "stkr/estimator/execution.hpp"
#include "stkr/gram/gram_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/specification/specification.hpp"

namespace stkr {

// One line of the settings of a fit: "kernel", "rbf(length_scale=2.1)", "half of the median ...".
struct Choice {
  std::string what;
  std::string value;
  std::string why;  // empty if the user gave it
  // The numbers in `value` in full, by the names of their options: {"length-scale", 2.1}.
  std::vector<std::pair<std::string, double>> numbers{};
};

struct PreparedGram {
  std::unique_ptr<GramOperator> gram;
  std::string description;
  std::vector<Choice> choices;
};

// Execution::smoothed_squares for the node features of a graph: several smoothings at the cost of
// the largest.
std::map<Index, Vector> smoothed_squares(const Dataset& dataset, const std::vector<Index>& steps,
                                         const Context& context);

// Builds the gram of a data set's samples and moves the samples out of `dataset`, which keeps its
// labels.
PreparedGram prepare_gram(Dataset& dataset, const Specification& spec,
                          const Execution& execution = {}, const Context& context = {});

}  // namespace stkr
