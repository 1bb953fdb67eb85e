#pragma once

#include <gtest/gtest.h>

#include <string>

#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/model/fit_model.hpp"

// Data sets with few labels, and what a fit chose, for the tests of this folder.
namespace stkr::testing {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline Dataset with_few_labels(Dataset dataset) {
  dataset.truth = dataset.labels;
  keep_only(dataset.labels, labeled_per_class(std::get<ClassLabels>(dataset.labels), 5, 1));
  return dataset;
}

inline Dataset moons() { return with_few_labels(two_moons(200, 0.08, 1)); }

inline Dataset blocks() {
  return with_few_labels(stochastic_block_model(std::vector<Index>{60, 60}, 0.3, 0.02, 1));
}

inline Choice choice(const FittedModel& result, const std::string& what) {
  for (const Choice& each : result.choices) {
    if (each.what == what) return each;
  }
  ADD_FAILURE() << "no choice of " << what;
  return {};
}

}  // namespace stkr::testing
