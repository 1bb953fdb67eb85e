#pragma once

#include <memory>
#include <string>
#include <vector>

#include "file_roles.hpp"
#include "fit_options.hpp"
#include "stkr/inference/fitted_system.hpp"
#include "stkr/model/model.hpp"

namespace stkr::app {

// Records in a model, which is about to be written to `output`, how `stkr fit` repeats its fit:
// `words` (repeat_words). Nothing is recorded if they are not UTF-8.
void record_fit(Model& model, std::vector<std::string> words, const std::string& output);

// --data: the samples that a model was fitted on, if they are no longer where they were.
void add_data_option(CLI::App& command, std::string& data);

// What a repeated fit leaves.
struct Refitted {
  std::shared_ptr<const FittedSystem> system;
  Labels labels;  // as the fit saw them
};

// The fit of a model, repeated as the model says. A model does not keep its kernel, without which
// it cannot say how certain it is, why, or what to label next. Words are interpreted by the parser
// of `stkr fit` alone.
class Refit {
 public:
  // `path` of the model; `data` replaces the file of its samples, unless it is empty. `option` is
  // what needs the fit, for messages. Throws DataError if the model does not say how it was fitted
  // or its samples are not found, and CLI::ValidationError if its method has no system of labels.
  Refit(const Model& model, std::string path, const std::string& data, std::string option);

  // The files that it reads, which no output may replace.
  void add_files(FileRoles& files) const;

  // Throws DataError if samples or labels are not those of the model, or if the fit does not agree
  // with it.
  Refitted run(const MemoryOption& memory, const CommonOptions& common);

 private:
  void find_files(const std::string& data);
  void check_agreement(const Model& repeated) const;

  const Model& model_;
  std::string path_;
  std::string option_;
  FitArguments arguments_;
  Specification spec_;
};

}  // namespace stkr::app
