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

namespace stkr {

enum class Method { stkr, kernel_pca, kernel_ridge, label_propagation };
const char* to_string(Method method);

// K, by name. What is left empty is chosen for the kind of data at hand.
struct KernelRecipe {
  // Points: a kernel's name, or knn. Graphs: lazy-walk, symmetric, probability or adjacency.
  std::string kernel;
  std::optional<double> length_scale;  // ℓ, or ε of epsilon-neighbor
  double scale_factor = 1.0;           // times the default length scale, where none is given
  bool median_scale = false;           // the median distance between points, where none is given
  std::optional<Index> neighbors;      // k of knn, with the next three
  std::string edge_weight;             // binary, heat, self-tuning or cosine
  std::string edge_rule;               // either or mutual
  std::optional<double> recall;        // below 1: approximate neighbors
  double gamma = 1.0;                  // of the polynomial kernel, with the next two
  double coef0 = 1.0;
  int degree = 2;
  std::optional<bool> normalize;  // K/√(d d') for points, so that λ₁ = 1 as for graphs
  bool self_loops = false;
  bool single_precision = false;  // points and their tiles in float, sums in double
};

// One more kernel of the same samples: K = Σ_k share_k K_k/λ₁(K_k), so that shares mean the same
// for every kernel. Beside a graph's own, the name of a kernel of points is one of its nodes'
// features.
struct AddedKernel : KernelRecipe {
  std::optional<double> share;  // of the sum, 0 to 1; the first kernel has the rest
};

// Everything that decides a fit, by name, as a command line or a script gives it. What is left
// empty is chosen for the kind of data at hand.
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
  bool pca_of_all = false;                   // kernel PCA of the labeled samples too
  bool literal_top_d = false;                // see StkrOptions
  std::function<double(double)> function{};  // your own s, by this name
  std::string function_name = "function";

  // The ridge, in units of the mean diagonal of G_{K̂_s,n} or as the paper's β. Neither: 0.1 for
  // classes, chosen by leave-one-out for numbers.
  std::optional<double> ridge;
  std::optional<double> beta;
  StkrSolver solver = StkrSolver::automatic;
  double tolerance = 1e-8;
  int max_iterations = 1000;
  double step_size = 0.0;
  int iterations = 0;  // T of label propagation; 0: to convergence
  bool intercept = true;
  // How much each sample counts, in the distribution that unlabeled samples stand for and among the
  // labels; empty: all alike.
  Vector sample_weights{};
  // uniform, or degree: p_i = D_i/Tr(D). Empty: degree for kernel probability, whose proposition
  // says so (app:proof-inv-lap-connect), else uniform.
  std::string measure;
  DecisionOptions decision{};  // class-mass normalization, and the prior
  Index embedding = 0;         // dimensions of a spectral embedding wanted beside the model
  // What default length scales start from, where it is known already: see neighbor_distance.
  std::optional<double> known_distance;

  // Bytes that the whole process may take; 0: no limit. fit_model picks a way to stay within it
  // (estimator/plan), if need be with single precision where that is allowed.
  std::uint64_t memory = 0;
  bool may_round_to_single = false;
  Execution execution{};  // what the plan picked, or your own choice for fit_recipe

  std::uint64_t seed = 1;
  int threads = 0;
  SolveControl control{};
};

// One line of what a fit uses: "kernel", "rbf(length_scale=2.1)", "a third of the median ...".
struct Choice {
  std::string what;
  std::string value;
  std::string why;  // empty where it was given
};

struct PreparedGram {
  std::unique_ptr<GramOperator> gram;
  std::string description;
  std::vector<Choice> choices;
};

// What default length scales start from: the median distance of a point to its 10th neighbor (or
// the last, of fewer points); where the labels are numbers, to its 10th labeled neighbor, over
// which a function can be told from its values. Throws ValueError where most points coincide.
double neighbor_distance(const Points& points, const Labels& labels, std::uint64_t seed,
                         const std::stop_token& cancel = {});

// The gram of a data set's samples. The samples are moved out of `dataset`, which keeps its labels.
PreparedGram prepare_gram(Dataset& dataset, const Recipe& recipe);

// Fits with a given gram: what `transform`, η, β and d are left open are chosen and added to
// `choices`.
Fit fit_recipe(const GramOperator& gram, const EncodedTargets& targets, const Recipe& recipe,
               std::vector<Choice>& choices);

struct RecipeResult {
  Model model;
  FitSummary summary;
  std::vector<Choice> choices;
  std::optional<LabelReach> reach;  // none where the gram does not know its components
  std::optional<SpectralEmbedding> embedding;
};

// A checksum of samples and labels (and features), so that two models can be told apart.
std::string fingerprint(const Dataset& dataset, bool features);

// A gram and labels in, model out: for grams of your own. `info` may say what it was fitted on.
RecipeResult fit_prepared(PreparedGram prepared, const Labels& labels, const Recipe& recipe,
                          ModelInfo info = {});

// Data in, model out, in the way that estimator/plan picks. The samples move into the model;
// `dataset` keeps its labels. Throws MemoryError, with the numbers, where nothing fits in
// recipe.memory.
RecipeResult fit_model(Dataset& dataset, const Recipe& recipe);

}  // namespace stkr
