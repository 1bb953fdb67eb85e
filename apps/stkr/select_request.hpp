#pragma once

#include "select_options.hpp"
#include "stkr/selection/select_model.hpp"

namespace stkr::app {

// Everything that the options of `stkr select` say, before any data are read.
struct SelectRequest {
  Specification spec;
  KernelGrid kernels;
  SelectOptions options{};
  ValidationSpec validation{};  // without the split, which is in a file
};

// Also sets which features are read. Throws CLI::ValidationError if options contradict each other
// or would have no effect.
SelectRequest select_request(SelectArguments& arguments);

// What identifies a split for --checkpoint.
std::string split_checksum(const FourWaySplit& split);

// Throws if an output would replace an input or another output.
void check_select_files(const SelectArguments& arguments);

// Fewer labels than folds: leaves one out, and says so. Throws CLI::ValidationError if the folds
// were asked for.
void check_folds(const SelectArguments& arguments, Index labeled, ValidationSpec& validation);

}  // namespace stkr::app
