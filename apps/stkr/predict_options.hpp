#pragma once

#include <optional>
#include <string>

#include "command.hpp"
#include "html_option.hpp"
#include "memory_option.hpp"
#include "new_sample_stream.hpp"

namespace stkr::app {

struct PredictArguments {
  std::string model;
  NewSampleOptions fresh;
  std::string output;
  bool probabilities = false;
  std::optional<double> coverage;  // of prediction sets or intervals
  bool jackknife_plus = false;     // for the intervals
  bool uncertainty = false;        // standard deviations
  std::string explained;           // a sample; may be empty
  std::string data;                // the samples of the fit, if they have moved; may be empty
  std::string only = "all";
  std::string copied;     // the AnnData file that an .h5ad output copies; may be empty
  std::string unreached;  // file for samples without evidence; may be empty
  HtmlOption html;
  MemoryOption memory;
  CommonOptions common;

  // What the fit has to be repeated for: an option, or empty.
  std::string needs_refit() const {
    return uncertainty         ? "--uncertainty"
           : jackknife_plus    ? "--jackknife-plus"
           : explained.empty() ? ""
                               : "--explain";
  }
};
void add_predict_options(CLI::App& command, PredictArguments& arguments);

// Throws CLI::ValidationError for options that contradict each other.
void check_predict_options(const PredictArguments& arguments);

}  // namespace stkr::app
