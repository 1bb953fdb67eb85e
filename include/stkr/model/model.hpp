#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "stkr/dataset/table_encoding.hpp"
#include "stkr/estimator/decision.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/gram/gram_operator.hpp"

namespace stkr {

// How a model was made: for display. Predictions use only the names, to match new samples.
struct ModelInfo {
  std::string version;      // of stkr
  std::string method;       // FitSummary::method
  std::string transform;    // FitSummary::transform
  std::string kernel;       // a description of the gram
  std::string solver;       // SolveSummary::solver
  std::string stop_reason;  // "converged", ...
  double residual = 0.0;    // of the worst column
  int iterations = 0;
  double beta = 0.0;
  Index labeled = 0;                       // n
  std::string data_fingerprint;            // of the samples and labels it was fitted on
  std::string samples;                     // "points", "graph", "kernel"; for a sum: "graph+points"
  std::vector<std::string> feature_names;  // of the points, if any
  std::vector<std::string> sample_names;   // of the N samples, if any: nodes, or ids of a table
  std::string anndata_file;                // the .h5ad it was fitted on, which answers can copy
  std::string id_column;                   // what the names are called: "node", or their column
  // How new tables become points, and how these are standardized.
  std::optional<TableEncoding> encoding{};
  // The arguments of the `stkr fit` that repeats the fit, and the folder in which it ran, as seen
  // from that of the model file. Empty for models of other programs.
  std::vector<std::string> fit_arguments{};
  std::string fit_folder{};
};

// c, the rule that places new samples, and the decision that turns scores into predictions: all
// that prediction needs, for every method.
class Model {
 public:
  Model(std::unique_ptr<CrossKernel> cross, Fit fit, Decision decision, ModelInfo info);

  Index size() const { return fitted_.rows(); }           // N
  Index outputs() const { return coefficients_.cols(); }  // C
  const Decision& decision() const { return decision_; }
  const ModelInfo& info() const { return info_; }
  // ModelInfo::fit_arguments and fit_folder, in UTF-8.
  void set_fit_command(std::vector<std::string> arguments, std::string folder);
  // c, for new samples
  const Matrix& coefficients() const { return coefficients_; }
  const Matrix& fitted() const { return fitted_; }  // f̂ at the N samples
  const Evidence& evidence() const { return evidence_; }

  // The number of features of the points it accepts; nullopt for a graph alone.
  std::optional<Index> features() const { return cross_->features(); }

  // The samples it was fitted on (transductive).
  Predictions predict() const;
  // `count` of these, from `first` on.
  Predictions predict(Index first, Index count) const;
  // New samples (inductive): f(x) = Σ_i K(x, x_i) c_i. A sample equal to known ones gets their
  // value (the mean, if they differ).
  Predictions predict(const NewSamples& samples) const;

  // K(new, known) b for any block b of N rows, e.g. new samples in a spectral embedding. Samples
  // equal to known ones get the known samples' rows of `values`.
  Matrix kernel_product(const NewSamples& samples, ConstMatrixRef b, ConstMatrixRef values) const;

  // Writes one sealed .npz: arrays, and "model.json" with the rest. Writes to a temporary file and
  // renames it, so an existing file is replaced completely or not at all. Throws WriteError.
  void save(const std::filesystem::path& path) const;

  // Throws DataError for anything but an intact model file of this format version. A model with a
  // cross kernel or point kernel of your own needs the registry that knows it.
  static Model load(const std::filesystem::path& path, int threads = 0, const Device& device = {});
  static Model load(const std::filesystem::path& path, const CrossKernelRegistry& registry,
                    int threads = 0, const Device& device = {});
  // The same, but what only new samples need is read from the file when it is first used. To
  // predict the samples of the fit, that is most of the file, and no device is needed.
  static Model load_for_known(const std::filesystem::path& path, int threads = 0,
                              const Device& device = {});

 private:
  std::unique_ptr<CrossKernel> cross_;
  Matrix coefficients_;
  Matrix fitted_;
  Evidence evidence_;
  Matrix sources_;  // of evidence: a column, or none
  Decision decision_;
  ModelInfo info_;
};

}  // namespace stkr
