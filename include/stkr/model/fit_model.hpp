#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stkr/estimator/label_reach.hpp"
#include "stkr/inference/fitted_system.hpp"
#include "stkr/model/model.hpp"
#include "stkr/model/prepare_gram.hpp"

namespace stkr {

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
