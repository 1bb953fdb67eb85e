#include "recipe_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <sstream>

#include "cli.hpp"
#include "command.hpp"
#include "estimator/kernel_parts.hpp"
#include "kernel_options.hpp"
#include "stkr/error.hpp"

namespace stkr::app {
namespace {

const std::map<std::string, Method> kMethods{{"stkr", Method::stkr},
                                             {"kernel-pca", Method::kernel_pca},
                                             {"kernel-ridge", Method::kernel_ridge},
                                             {"label-propagation", Method::label_propagation}};

const std::map<std::string, StkrSolver> kSolvers{
    {"automatic", StkrSolver::automatic},   {"direct", StkrSolver::direct},
    {"richardson", StkrSolver::richardson}, {"cg", StkrSolver::cg},
    {"minres", StkrSolver::minres},         {"diagonalize", StkrSolver::diagonalize}};

const std::vector<std::string> kKernels{
    "rbf",         "laplacian", "matern12",   "matern32",         "matern52",
    "cosine",      "linear",    "polynomial", "epsilon_neighbor", "symmetric",
    "probability", "lazy-walk", "adjacency",  "precomputed",      "knn"};

const std::vector<std::string> kTransforms{"inverse-laplacian", "power",     "polynomial",
                                           "reciprocal",        "diffusion", "truncation"};

template <class T>
std::vector<std::string> keys(const std::map<std::string, T>& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

// An option without effect indicates a misunderstanding: throws instead of ignoring it.
void check_used(const CLI::App& command, const Recipe& recipe) {
  const bool stkr = recipe.method == Method::stkr;
  const bool propagation = recipe.method == Method::label_propagation;
  const std::string transform =
      stkr && recipe.transform.empty() ? "inverse-laplacian" : recipe.transform;
  const bool with_length = has_length_scale(recipe.kernel) || recipe.kernel == "knn";
  const bool knn = recipe.kernel == "knn";
  const bool any_method = command.get_option_no_throw("--method") == nullptr;
  struct Use {
    const char* option;
    bool used;
    const char* by;
  };
  const Use uses[] = {
      {"--power", transform == "power", "--transform power"},
      {"--time", transform == "diffusion", "--transform diffusion"},
      {"--d", transform == "truncation" || recipe.method == Method::kernel_pca,
       "--transform truncation and --method kernel-pca"},
      {"--eta", transform == "inverse-laplacian" || propagation,
       "--transform inverse-laplacian and --method label-propagation"},
      {"--coefficients", transform == "polynomial" || transform == "reciprocal",
       "--transform polynomial and --transform reciprocal"},
      {"--r", transform == "reciprocal", "--transform reciprocal"},
      {"--beta", !propagation, "methods other than label-propagation"},
      {"--ridge", !propagation, "methods other than label-propagation"},
      {"--literal-top-d",
       any_method || transform == "truncation" || recipe.method == Method::kernel_pca,
       "--transform truncation and --method kernel-pca"},
      {"--iterations", propagation, "--method label-propagation"},
      {"--length-scale", with_length, "kernels with a length scale"},
      {"--neighbors", knn, "--kernel knn"},
      {"--edge-weight", knn, "--kernel knn"},
      {"--edges", knn, "--kernel knn"},
      {"--recall", knn, "--kernel knn"},
      {"--coef0", recipe.kernel == "polynomial", "--kernel polynomial"},
      {"--degree", recipe.kernel == "polynomial", "--kernel polynomial"},
      {"--solver", stkr, "--method stkr"},
      {"--tolerance", recipe.method != Method::kernel_pca, "methods other than kernel-pca"},
      {"--max-iterations", recipe.method != Method::kernel_pca, "methods other than kernel-pca"},
      {"--step-size", stkr && recipe.solver == StkrSolver::richardson, "--solver richardson"}};
  for (const Use& use : uses) {
    const CLI::Option* option = command.get_option_no_throw(use.option);
    if (!use.used && option && option->count() > 0) {
      throw CLI::ValidationError(use.option, std::string("applies only to ") + use.by);
    }
  }
}

// "uniform", or comma-separated shares.
void read_prior(const std::string& text, DecisionOptions& decision) {
  if (text == "uniform") {
    decision.uniform_prior = true;
    return;
  }
  double sum = 0.0;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    double share = 0.0;
    const char* end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, share);
    if (error != std::errc() || stop != end || !std::isfinite(share) || share < 0.0) {
      throw CLI::ValidationError(
          "--prior", "'" + part + "' in '" + text + "': expected uniform, or shares of 0 or more");
    }
    decision.prior.push_back(share);
    sum += share;
  }
  if (!text.empty() && !(sum > 0.0)) {
    throw CLI::ValidationError("--prior", "'" + text + "': expected shares that are not all 0");
  }
}

}  // namespace

const std::vector<std::string>& kernel_names() { return kKernels; }

CLI::Validator is_kernel_name() {
  return CLI::IsMember(kKernels, [](std::string name) {
    return name == "epsilon_neighbour" ? std::string("epsilon_neighbor") : name;
  });
}

void add_kernel_options(CLI::App& command, RecipeOptions& options) {
  options.command = &command;
  Recipe& recipe = options.recipe;
  command
      .add_option("--kernel", recipe.kernel,
                  "Points: rbf (default), laplacian, matern12, matern32, matern52, cosine, linear, "
                  "polynomial, epsilon_neighbor, or knn (a nearest-neighbor graph). "
                  "Graphs: lazy-walk (default), symmetric, probability, adjacency")
      ->check(is_kernel_name())
      ->option_text("NAME")
      ->group("Kernel");
  command
      .add_option("--length-scale", options.length_scale,
                  "Length scale, or radius of epsilon_neighbor (default: from the distances to "
                  "the 10th neighbor); 0.5x is half the default, median is the median distance "
                  "between points")
      ->check(not_empty())
      ->option_text("FLOAT")
      ->group("Kernel");
  command
      .add_option("--neighbors,--neighbours", recipe.neighbors,
                  "knn: neighbors per point (default: 10); implies --kernel knn")
      ->check(at_least(1))
      ->option_text("K")
      ->group("Kernel");
  command
      .add_option("--edge-weight", recipe.edge_weight,
                  "knn: self-tuning (default), binary, heat (with --length-scale), cosine")
      ->check(CLI::IsMember({"binary", "heat", "self-tuning", "cosine"}))
      ->option_text("NAME")
      ->group("Kernel");
  command
      .add_option(
          "--edges", recipe.edge_rule,
          "knn: either (default: one point is a neighbor of the other) or mutual (both are)")
      ->check(CLI::IsMember({"either", "mutual"}))
      ->option_text("RULE")
      ->group("Kernel");
  command
      .add_option("--recall", recipe.recall,
                  "knn: share of the true neighbors to find; below 1 the search is approximate "
                  "and faster (default: 1, exact)")
      ->check(CLI::Range(1e-6, 1.0))
      ->option_text("SHARE")
      ->group("Kernel");
  command
      .add_option("--gamma", options.gamma,
                  "rbf: 1/(2 length_scale^2); laplacian: 1/length_scale; polynomial: factor")
      ->group("Kernel");
  command.add_option("--coef0", recipe.coef0, "polynomial: constant")
      ->capture_default_str()
      ->group("Kernel");
  command.add_option("--degree", recipe.degree, "polynomial: degree")
      ->capture_default_str()
      ->group("Kernel");
  const auto normalize =
      command
          .add_flag_callback(
              "--normalize", [&recipe] { recipe.normalize = true; },
              "Divide K by the square roots of its mean row sums, so that lambda_1 = 1 (default "
              "for points with a non-negative kernel)")
          ->option_text(" ")
          ->group("Kernel");
  command
      .add_flag_callback(
          "--no-normalize", [&recipe] { recipe.normalize = false; }, "Do not normalize the kernel")
      ->excludes(normalize)
      ->option_text(" ")
      ->group("Kernel");
  command
      .add_option("--add-kernel", options.added,
                  "Add another kernel of the same samples; for a graph, a point kernel applies to "
                  "its node features. SHARE is the share of the sum (0 to 1, --kernel gets the "
                  "rest; default: equal shares), with each kernel scaled to lambda_1 = 1; "
                  "repeatable")
      ->check(not_empty())
      ->allow_extra_args(false)
      ->option_text("NAME[:SHARE]")
      ->group("Kernel");
  command.add_flag("--center", recipe.center, "Center the kernel")->group("Kernel");
  command.add_flag("--self-loops", recipe.self_loops, "Graphs: add a self-loop to every node")
      ->group("Kernel");
  command
      .add_option("--precision", options.precision,
                  "Points: double (default; single only if nothing else fits in memory) or single")
      ->check(CLI::IsMember({"single", "double"}))
      ->option_text("NAME")
      ->group("Kernel");
}

void add_recipe_options(CLI::App& command, RecipeOptions& options) {
  Recipe& recipe = options.recipe;
  command
      .add_option("--method", options.method,
                  "stkr (default), kernel-pca, kernel-ridge or label-propagation")
      ->check(CLI::IsMember(keys(kMethods)))
      ->option_text("NAME")
      ->group("Method");
  CLI::Option* ridge =
      command
          .add_option("--ridge", recipe.ridge,
                      "Ridge, > 0, in units of the mean diagonal of the transformed kernel at the "
                      "labels (default: 0.1; regression: chosen by leave-one-out)")
          ->group("Method");
  command.add_option("--beta", recipe.beta, "The paper's ridge beta, > 0, instead of --ridge")
      ->excludes(ridge)
      ->group("Method");
  add_definition_options(command, options);
  command
      .add_option("--iterations", recipe.iterations,
                  "label-propagation: number of steps (default: until convergence)")
      ->group("Method");

  command
      .add_flag(
          "--class-mass", recipe.decision.class_mass,
          "Scale the scores of each class so that predictions follow --prior; the factors are "
          "estimated from the unlabeled samples and also used for new ones")
      ->group("Classes");
  add_prior_option(command, options);

  add_kernel_options(command, options);

  command
      .add_option("--transform", recipe.transform,
                  "s: inverse-laplacian (default), power, polynomial, reciprocal, diffusion, "
                  "truncation; implied by --power, --time or --d")
      ->check(CLI::IsMember(kTransforms))
      ->option_text("NAME")
      ->group("Transform");
  command
      .add_option("--eta", recipe.eta,
                  "inverse-laplacian, label-propagation: eta in (0, 1/lambda_1) (default: "
                  "0.99/lambda_1 and 0.8/lambda_1)")
      ->group("Transform");
  command.add_option("--power", recipe.power, "power: exponent p >= 1")->group("Transform");
  command
      .add_option("--coefficients", recipe.coefficients,
                  "polynomial: pi_1,pi_2,...; reciprocal: xi_0,xi_1,...")
      ->delimiter(',')
      ->group("Transform");
  command.add_option("--r", recipe.r, "reciprocal: 1/s = sum of xi_p lambda^(p-r)")
      ->capture_default_str()
      ->group("Transform");
  command.add_option("--time", recipe.time, "diffusion: t in e^(t lambda) - 1")->group("Transform");
  command
      .add_option(
          "--d", recipe.dimension,
          "truncation, kernel-pca: number of eigenvectors (kernel-pca default: at most 128)")
      ->group("Transform");

  command
      .add_option(
          "--solver", options.solver,
          "Solver of the ridge system: automatic (default), direct, cg, minres, diagonalize, "
          "richardson")
      ->check(CLI::IsMember(keys(kSolvers)))
      ->option_text("NAME")
      ->group("Solver");
  command.add_option("--tolerance", recipe.tolerance, "Relative residual to reach")
      ->capture_default_str()
      ->group("Solver");
  command.add_option("--max-iterations", recipe.max_iterations, "Maximum number of steps")
      ->capture_default_str()
      ->group("Solver");
  command
      .add_option("--step-size", recipe.step_size,
                  "richardson: gamma (default: from a bound on the spectrum)")
      ->group("Solver");
}

void add_definition_options(CLI::App& command, RecipeOptions& options) {
  Recipe& recipe = options.recipe;
  command
      .add_flag("--literal-top-d", recipe.literal_top_d,
                "truncation, kernel-pca: exactly the d leading eigenvectors, even if they lie in "
                "components that no label reaches or split a set of equal eigenvalues")
      ->group("Method");
  command
      .add_option("--measure", recipe.measure,
                  "graphs: weight nodes equally (uniform) or by their degree (degree); default: "
                  "degree for kernel probability, else uniform")
      ->check(CLI::IsMember({"uniform", "degree"}))
      ->option_text("NAME")
      ->group("Method");
  command
      .add_flag_callback(
          "--no-intercept", [&recipe] { recipe.intercept = false; },
          "regression: do not fit a constant")
      ->group("Method");
}

void add_prior_option(CLI::App& command, RecipeOptions& options) {
  command
      .add_option(
          "--prior", options.prior,
          "Class shares in the order of the class names: 0.7,0.3 or uniform (default: those "
          "of the labeled samples); used by --class-mass and for samples without "
          "evidence")
      ->check(not_empty())
      ->option_text("SHARES")
      ->group("Classes");
}

Recipe finish_recipe(const RecipeOptions& options) {
  Recipe recipe = options.recipe;
  recipe.method = kMethods.at(options.method);
  recipe.solver = kSolvers.at(options.solver);
  recipe.single_precision = options.precision == "single";
  if (!options.length_scale.empty()) {
    set_length_scale(parse_length_scale(options.length_scale, "--length-scale"), recipe);
  }
  double share = 0.0;
  for (const std::string& text : options.added) {
    recipe.added.push_back(parse_added_kernel(text));
    share += recipe.added.back().share.value_or(0.0);
  }
  if (share > 1.0 + 1e-12) {
    throw CLI::ValidationError("--add-kernel", "the shares sum to more than 1");
  }
  recipe.may_round_to_single = options.precision.empty();
  if (recipe.kernel == "precomputed") recipe.kernel.clear();
  const bool neighbors =
      recipe.neighbors || recipe.recall || !recipe.edge_weight.empty() || !recipe.edge_rule.empty();
  if (recipe.kernel.empty() && neighbors) recipe.kernel = "knn";
  if (options.gamma) {
    const double gamma = *options.gamma;
    if (recipe.kernel == "polynomial") {
      recipe.gamma = gamma;
    } else if (!options.length_scale.empty()) {
      throw CLI::ValidationError("--gamma",
                                 "cannot be combined with --length-scale; give one of them");
    } else if (!(gamma > 0.0)) {
      throw CLI::ValidationError("--gamma", "expected a positive number");
    } else if (recipe.kernel.empty() || recipe.kernel == "rbf") {
      recipe.length_scale = std::sqrt(0.5 / gamma);
    } else if (recipe.kernel == "laplacian") {
      recipe.length_scale = 1.0 / gamma;
    } else {
      throw CLI::ValidationError("--gamma",
                                 "applies to rbf, laplacian and polynomial; use --length-scale");
    }
  }
  if (recipe.transform.empty() && recipe.method == Method::stkr) {
    if (recipe.power) recipe.transform = "power";
    if (recipe.time) recipe.transform = "diffusion";
    if (recipe.dimension) recipe.transform = "truncation";
  }
  if (!recipe.transform.empty() && recipe.method != Method::stkr) {
    throw CLI::ValidationError("--transform", "applies only to --method stkr");
  }
  check_used(*options.command, recipe);
  read_prior(options.prior, recipe.decision);
  return recipe;
}

bool adds_point_kernel(const Recipe& recipe) {
  return std::any_of(recipe.added.begin(), recipe.added.end(),
                     [](const AddedKernel& added) { return !is_graph_kernel(added.kernel); });
}

}  // namespace stkr::app
