#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "stkr/selection/grid.hpp"

namespace stkr {

// Transductive: the fit sees the samples it is evaluated on (without their labels). Inductive: it
// does not.
enum class Setting { transductive, inductive };

inline const char* to_string(Setting setting) {
  return setting == Setting::transductive ? "transductive" : "inductive";
}

// Whether grid points predict from class-mass normalized scores; `both` tries each.
enum class ClassMassChoice { off, on, both };

struct GridScore {
  GridPoint point;
  double validation = 0.0;           // on the validation set or held-out labeled samples
  double loss = 0.0;                 // smooth_loss on the same samples; breaks ties
  double beta = 0.0;                 // the paper's β of a fit to all given labels; 0: none
  std::vector<float> outcomes{};     // per validation sample: see score.hpp
  std::optional<double> test{};      // if there is a test set
  Index validation_no_evidence = 0;  // samples without evidence
  Index test_no_evidence = 0;
};

// The cost of a family, shared by all its grid points.
struct FamilyCost {
  Family family;
  double seconds = 0.0;
  long products = 0;  // block products with S
};

// A grid parameter that cannot be computed, with the reason. The others are still computed.
struct LeftOut {
  Family family;
  double parameter = 0.0;
  std::string reason{};
  std::size_t kernel = 0;  // GridPoint::kernel
};

}  // namespace stkr
