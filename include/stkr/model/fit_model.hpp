#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stkr/dataset/dataset.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/gram/gram_operator.hpp"
#include "stkr/inference/fitted_system.hpp"
#include "stkr/model/model.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/specification/specification.hpp"

namespace stkr {

// One line of the settings of a fit: "kernel", "rbf(length_scale=2.1)", "half of the median ...".
struct Choice {
  std::string what;
  std::string value;
  std::string why;  // empty if the user gave it
  // The numbers in `value` in full, by the names of their options: {"length-scale", 2.1}.
  std::vector<std::pair<std::string, double>> numbers{};
};

struct PreparedGram {
  std::unique_ptr<GramOperator> gram;
  std::string description;
  std::vector<Choice> choices;
  std::string left_to_host{};  // as a warning: what the device does not compute
};

// Execution::smoothed_squares for the node features of a graph: several smoothings at the cost of
// the largest.
std::map<Index, Vector> smoothed_squares(const Dataset& dataset, const std::vector<Index>& steps,
                                         const Context& context);

// Builds the gram of a data set's samples and moves the samples out of `dataset`, which keeps its
// labels.
PreparedGram prepare_gram(Dataset& dataset, const Specification& spec,
                          const Execution& execution = {}, const Context& context = {});

// What a report on a fit shows besides its summary.
struct FitDiagnostics {
  // For each labeled sample, in order, the prediction of a fit to the labels of the others.
  std::optional<Predictions> left_out{};
  std::string not_left_out{};         // why there are none
  std::vector<double> eigenvalues{};  // the largest of S, in descending order
  std::string no_eigenvalues{};       // why there are none
};

struct FittedModel {
  Model model;
  FitSummary summary;
  std::vector<Choice> choices;
  std::optional<LabelReach> reach;  // none if the gram does not know its components
  std::optional<SpectralEmbedding> embedding;
  // If requested; without eigenvalues if only Specification::leave_one_out is set.
  std::optional<FitDiagnostics> diagnostics{};
  std::shared_ptr<const FittedSystem> system{};  // if requested (Specification::keep_system)
};

// Fits a model to data with the strategy that plan/plan chooses. Moves the samples into the model;
// `dataset` keeps its labels. Throws MemoryError, with the numbers, if nothing fits in
// context.memory.
FittedModel fit_model(Dataset& dataset, const Specification& spec, const Context& context = {});

// Fits a model to a caller's own gram and labels. `info` may describe the data.
FittedModel fit_prepared(PreparedGram prepared, const Labels& labels, const Specification& spec,
                         const Execution& execution = {}, const Context& context = {},
                         ModelInfo info = {});

// A fitted problem that can be asked again with other labels. It keeps the gram, the action of the
// transform, the targets and α: a new fit builds no gram, factorizes nothing twice, and its
// iterative solvers start from the present solution.
//
//   stkr::FittedProblem problem(dataset, spec);
//   problem.relabel(more_labels);
//   const stkr::FittedModel fitted = problem.model();
class FittedProblem {
 public:
  // As fit_model.
  FittedProblem(Dataset& dataset, const Specification& spec, const Context& context = {});
  // As fit_prepared.
  FittedProblem(PreparedGram prepared, const Labels& labels, const Specification& spec,
                const Execution& execution = {}, const Context& context = {}, ModelInfo info = {});
  ~FittedProblem();
  FittedProblem(FittedProblem&&) noexcept;

  // Fits other labels of the same samples. Throws ShapeError for another number of samples.
  void relabel(const Labels& labels, const Context& context = {});

  const GramOperator& gram() const;
  const Fit& fit() const;

  // The model for the present labels.
  FittedModel model(const Context& context = {}) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> impl_;
};

// What a model of this specification knows about the data: its kind, names and fingerprint. Moves
// the node names out of `dataset`.
ModelInfo data_info(Dataset& dataset, const Specification& spec);

// A checksum of samples and labels (and features), to tell models apart.
std::string fingerprint(const Dataset& dataset, bool features);

}  // namespace stkr
