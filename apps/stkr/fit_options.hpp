#pragma once

#include <string>

#include "checkpoint_option.hpp"
#include "command.hpp"
#include "console.hpp"
#include "html_option.hpp"
#include "memory_option.hpp"
#include "specification_options.hpp"
#include "stkr/dataset/load_dataset.hpp"

namespace stkr::app {

// What `stkr fit` is asked for.
struct FitArguments {
  std::string input;
  std::string output;
  std::string unreached;  // file for samples without evidence; may be empty
  std::string plot;       // file for a picture of s; may be empty
  HtmlOption html;
  bool leave_one_out = false;
  Index suggest = 0;  // samples to suggest for labeling; 0: none
  Index per_class = 0;
  LoadOptions load;
  SpecificationOptions spec;
  MemoryOption memory;
  CheckpointOption checkpoint;
  CommonOptions common;
};
void add_fit_options(CLI::App& command, FitArguments& arguments);

// The specification that the options give, and which features they need (load.node_features).
// Throws CLI::ValidationError if options contradict each other or would have no effect.
Specification fit_specification(FitArguments& arguments);

// The samples with the labels that the fit sees: --per-class hides others.
Dataset read_fit_samples(const FitArguments& arguments, ProgressBar& bar);

}  // namespace stkr::app
