#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stkr/dataset/dataset.hpp"
#include "stkr/estimator/execution.hpp"
#include "stkr/estimator/label_reach.hpp"
#include "stkr/estimator/model.hpp"
#include "stkr/estimator/stkr.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

enum class Method { stkr, kernel_pca, kernel_ridge, label_propagation };
const char* to_string(Method method);

// K, by name. Empty fields are chosen for the kind of data.
struct KernelRecipe {
  // Points: a kernel name, or knn. Graphs: lazy-walk, symmetric, probability or adjacency.
  std::string kernel;
  std::optional<double> length_scale;  // ℓ, or ε of epsilon-neighbor
  double scale_factor = 1.0;           // times the default length scale, if none is given
  bool median_scale = false;           // use the median distance between points, if none is given
  std::optional<Index> neighbors;      // k of knn; the next three are for knn too
  std::string edge_weight;             // binary, heat, self-tuning or cosine
  std::string edge_rule;               // either or mutual
  std::optional<double> recall;        // below 1: approximate neighbors
  double gamma = 1.0;                  // of the polynomial kernel; so are the next two
  double coef0 = 1.0;
  int degree = 2;
  std::optional<bool> normalize;  // K/√(d d') for points; λ₁ = 1 as for graphs
  bool self_loops = false;
  bool single_precision = false;  // points and their tiles in float, sums in double
};

// One more kernel of the same samples: K = Σ_k share_k K_k/λ₁(K_k), so that shares mean the same
// for every kernel. For graph data, the name of a point kernel selects a kernel of the node
// features.
struct AddedKernel : KernelRecipe {
  std::optional<double> share;  // of the sum, 0 to 1; the first kernel gets the rest
};

// Everything that determines a fit, by name, as a command line or a script gives it. Empty fields
// are chosen for the kind of data.
struct Recipe : KernelRecipe {
  std::vector<AddedKernel> added;
  Method method = Method::stkr;
  bool center = false;

  // s
  // inverse-laplacian, power, polynomial, reciprocal, diffusion, truncation or function
  std::string transform;
  std::optional<double> eta;
  std::optional<double> power;
  std::vector<double> coefficients;  // π of polynomial, ξ of reciprocal
  int r = 1;
  std::optional<double> time;
  std::optional<Index> dimension;            // d of truncation and of kernel PCA
  bool pca_of_all = false;                   // kernel PCA uses the labeled samples too
  bool literal_top_d = false;                // see StkrOptions
  std::function<double(double)> function{};  // a user-defined s, shown under this name
  std::string function_name = "function";

  // The ridge, in units of the mean diagonal of G_{K̂_s,n} or as the paper's β. Neither: 0.1 for
  // classes, chosen by leave-one-out for regression.
  std::optional<double> ridge;
  std::optional<double> beta;
  StkrSolver solver = StkrSolver::automatic;
  double tolerance = 1e-8;
  int max_iterations = 1000;
  double step_size = 0.0;
  int iterations = 0;  // T of label propagation; 0: to convergence
  bool intercept = true;
  // The weight of each sample, both in the distribution that unlabeled samples represent and among
  // the labels; empty: equal weights.
  Vector sample_weights{};
  // uniform, or degree: p_i = D_i/Tr(D). Empty: degree for kernel probability, as its proposition
  // requires (app:proof-inv-lap-connect), else uniform.
  std::string measure;
  DecisionOptions decision{};  // class-mass normalization and the prior
  Index embedding = 0;         // dimensions of a spectral embedding to return; 0: none
  // The basis of default length scales, if it is already known: see neighbor_distance.
  std::optional<double> known_distance;

  // Allows the plan to round points and tiles to single precision if nothing else fits.
  bool may_round_to_single = false;
  Execution execution{};  // set by the plan, or by the caller of fit_recipe
};

// One line of the settings of a fit: "kernel", "rbf(length_scale=2.1)", "a third of the median
// ...".
struct Choice {
  std::string what;
  std::string value;
  std::string why;  // empty if the user gave it
};

struct PreparedGram {
  std::unique_ptr<GramOperator> gram;
  std::string description;
  std::vector<Choice> choices;
};

// The basis of default length scales: the median distance of a point to its 10th neighbor (or to
// its last, if there are fewer points); for regression, to its 10th labeled neighbor, the range
// over which values determine a function. Throws ValueError if most points coincide.
double neighbor_distance(const Points& points, const Labels& labels, const Context& context = {});

// Builds the gram of a data set's samples and moves the samples out of `dataset`, which keeps its
// labels.
PreparedGram prepare_gram(Dataset& dataset, const Recipe& recipe, const Context& context = {});

// Fits with a given gram. If `transform`, η, β or d are open, chooses them and adds them to
// `choices`.
Fit fit_recipe(const GramOperator& gram, const EncodedTargets& targets, const Recipe& recipe,
               std::vector<Choice>& choices, const Context& context = {});

struct RecipeResult {
  Model model;
  FitSummary summary;
  std::vector<Choice> choices;
  std::optional<LabelReach> reach;  // none if the gram does not know its components
  std::optional<SpectralEmbedding> embedding;
};

// A checksum of samples and labels (and features), to tell models apart.
std::string fingerprint(const Dataset& dataset, bool features);

// Fits a model to a caller's own gram and labels. `info` may describe the data.
RecipeResult fit_prepared(PreparedGram prepared, const Labels& labels, const Recipe& recipe,
                          const Context& context = {}, ModelInfo info = {});

// Fits a model to data with the strategy that estimator/plan chooses. Moves the samples into the
// model; `dataset` keeps its labels. Throws MemoryError, with the numbers, if nothing fits in
// context.memory.
RecipeResult fit_model(Dataset& dataset, const Recipe& recipe, const Context& context = {});

}  // namespace stkr
