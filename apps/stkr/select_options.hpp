#pragma once

#include <string>

#include "checkpoint_option.hpp"
#include "command.hpp"
#include "grid_options.hpp"
#include "html_option.hpp"
#include "kernel_options.hpp"
#include "memory_option.hpp"
#include "specification_options.hpp"
#include "stkr/dataset/load_dataset.hpp"

namespace stkr::app {

// What `stkr select` is asked for.
struct SelectArguments {
  std::string input;
  std::string output;  // of the chosen model; may be empty
  std::string plot;    // of the heat map; may be empty
  HtmlOption html;
  std::string split;
  std::string setting = "both";
  int folds = 0;
  bool leave_one_out = false;
  Index per_class = 0;
  std::string score;
  std::string class_mass = "off";
  int top = 10;
  LoadOptions load;
  SpecificationOptions spec;
  GridOptions grid;
  KernelGridOptions kernels;
  MemoryOption memory;
  CheckpointOption checkpoint;
  CommonOptions common;
};
void add_select_options(CLI::App& command, SelectArguments& arguments);

// Throws CLI::ValidationError for options that contradict each other.
void check_select_options(const SelectArguments& arguments);

}  // namespace stkr::app
