#pragma once

#include <string>
#include <vector>

#include "petsc_block.hpp"
#include "stkr/dataset/dataset.hpp"

namespace stkr::petsc {

// What every kind of data has when processes share its samples.
struct SharedSamples {
  Layout layout;
  std::string name, source, label_source;
  std::vector<std::string> notes, label_candidates;
  Labels labels, truth;  // of the rows of this process
  Index labeled = 0;     // of all processes
};

// Deals out the labels that the first process has; the others pass an empty data set. The samples
// themselves are ignored.
SharedSamples share_samples(Dataset at_first, Layout layout);

}  // namespace stkr::petsc
