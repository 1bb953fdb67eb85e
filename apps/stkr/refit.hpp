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

// The arguments of the fit of a model, with the model's own files found, and its specification.
// `data` replaces the file of its samples, unless it is empty; `option` is what needs them, for
// messages. Throws DataError if the model does not say how it was fitted.
struct RecordedFit {
  FitArguments arguments;
  Specification spec;
};
RecordedFit recorded_fit(const Model& model, const std::string& path, const std::string& data,
                         const std::string& option);

// Whether these are the samples and labels that a model was fitted on.
bool fitted_on(const Model& model, const Dataset& dataset);

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
  // As recorded_fit. Throws CLI::ValidationError if the method has no system of labels.
  Refit(const Model& model, std::string path, const std::string& data, std::string option);

  // The files that it reads, which no output may replace.
  void add_files(FileRoles& files) const;

  // Throws DataError if samples or labels are not those of the model, or if the fit does not agree
  // with it.
  Refitted run(const MemoryOption& memory, const CommonOptions& common);

 private:
  void check_agreement(const Model& repeated) const;

  const Model& model_;
  std::string path_;
  std::string option_;
  RecordedFit fit_;
};

}  // namespace stkr::app
