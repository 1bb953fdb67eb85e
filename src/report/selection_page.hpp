#pragma once

#include <string>

#include "report/run_page.hpp"
#include "stkr/selection/select_model.hpp"

namespace stkr::report {

// What a page about a selection shows. References must be valid during the call.
struct SelectionPage {
  std::string data;  // "digits: 1,797 points x 64 features, 10 classes, 100 labeled"
  std::string name;  // "digits, knn": the beginning of the pictures' titles
  const ModelSelection& result;
  std::size_t points = 0;  // of the grid; 0: as many as were scored
  std::uint64_t seed = 1;  // of the expected score
  Facts repeat{};          // what the caller knows about repeating the run
};
RunPage selection_page(const SelectionPage& input);

}  // namespace stkr::report
