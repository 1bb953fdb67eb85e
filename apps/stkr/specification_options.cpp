#include "specification_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "cli.hpp"
#include "command.hpp"
#include "kernel_options.hpp"
#include "stkr/error.hpp"

namespace stkr::app {
namespace {

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

CLI::Validator is_kernel_name() {
  return CLI::Validator(
      [](std::string& text) {
        try {
          text = known_kernel_name(text);
          return std::string();
        } catch (const ParameterError& error) {
          return std::string(error.what());
        }
      },
      "");
}

void throw_usage_error(const OptionError& error) {
  // "to kernel rbf" is "to --kernel rbf" on the command line.
  std::string problem = error.problem();
  for (const std::string word : {"kernel", "transform", "method", "solver"}) {
    for (const std::string before : {"to ", "and "}) {
      const std::size_t at = problem.find(before + word + " ");
      if (at != std::string::npos) problem.insert(at + before.size(), "--");
    }
  }
  throw CLI::ValidationError("--" + error.option(), problem);
}

void add_kernel_options(CLI::App& command, SpecificationOptions& options) {
  const std::string_view polynomial = kernel_name(KernelKind::polynomial);
  command
      .add_option("--kernel", options.kernel.name,
                  fmt::format("Points: {} (a graph of nearest neighbors). Graphs: {}. Kernel "
                              "matrices: precomputed. Default: fit chooses by leaving labels out; "
                              "otherwise the first of each list",
                              joined(point_kernel_names()), joined(graph_kernel_names())))
      ->transform(is_kernel_name())
      ->option_text("NAME")
      ->group("Kernel");
  command
      .add_option("--length-scale", options.length_scale,
                  "Length scale of the kernel or radius (default: from the distances to "
                  "the 10th neighbor); 0.5x is half the default, median is the median distance "
                  "between points")
      ->check(not_empty())
      ->option_text("FLOAT")
      ->group("Kernel");
  command
      .add_option("--neighbors,--neighbours", options.kernel.neighbors,
                  "Neighbor graph: neighbors per point (default: 10); implies that kernel")
      ->check(at_least(1))
      ->option_text("K")
      ->group("Kernel");
  command
      .add_option(
          "--edge-weight", options.kernel.edge_weight,
          fmt::format("Neighbor graph: {}; the first is the default", joined(edge_weight_names())))
      ->transform(one_of(edge_weight_names()))
      ->option_text("NAME")
      ->group("Kernel");
  command
      .add_option(
          "--edges", options.kernel.edge_rule,
          "Neighbor graph: either (default: one point is a neighbor of the other) or mutual (both "
          "are)")
      ->transform(one_of(edge_rule_names()))
      ->option_text("RULE")
      ->group("Kernel");
  command
      .add_option(
          "--recall", options.kernel.recall,
          "Neighbor graph: share of the true neighbors to find; below 1 the search is approximate "
          "and faster (default: 1, exact)")
      ->check(CLI::Range(1e-6, 1.0))
      ->option_text("SHARE")
      ->group("Kernel");
  command
      .add_option("--principal-components", options.kernel.principal_components,
                  "Neighbor graph: search in the N leading principal components of the points "
                  "(default: in all features)")
      ->check(at_least(1))
      ->option_text("N")
      ->group("Kernel");
  command
      .add_option(
          "--gamma", options.kernel.gamma,
          fmt::format("{}: 1/(2 length_scale^2); {}: 1/length_scale; {}: factor",
                      kernel_name(KernelKind::rbf), kernel_name(KernelKind::laplacian), polynomial))
      ->group("Kernel");
  command
      .add_option("--coef0", options.kernel.coef0,
                  fmt::format("{}: constant (default: 1)", polynomial))
      ->group("Kernel");
  command
      .add_option("--degree", options.kernel.degree,
                  fmt::format("{}: degree (default: 2)", polynomial))
      ->group("Kernel");
  const auto normalize =
      command
          .add_flag_callback(
              "--normalize", [&options] { options.kernel.normalize = true; },
              "Divide K by the square roots of its mean row sums, so that lambda_1 = 1 (default "
              "for points with a non-negative kernel)")
          ->option_text(" ")
          ->group("Kernel");
  command
      .add_flag_callback(
          "--no-normalize", [&options] { options.kernel.normalize = false; },
          "Do not normalize the kernel")
      ->excludes(normalize)
      ->option_text(" ")
      ->group("Kernel");
  command
      .add_option("--add-kernel", options.added,
                  "Add another kernel of the same samples; for a graph, a point kernel applies to "
                  "its node features. SHARE is the share of the sum (0 to 1, --kernel gets the "
                  "rest; default: equal shares), with each kernel scaled to lambda_1 = 1; "
                  "smooth=K averages node features K times over the graph first, e.g. "
                  "cosine:1:smooth=2 for these features alone; repeatable")
      ->check(not_empty())
      ->allow_extra_args(false)
      ->option_text("NAME[:SHARE][:smooth=K]")
      ->group("Kernel");
  command.add_flag("--center", options.center, "Center the kernel")->group("Kernel");
  command
      .add_flag("--self-loops", options.kernel.self_loops, "Graphs: add a self-loop to every node")
      ->group("Kernel");
  command
      .add_option("--precision", options.precision,
                  "Points: double (default; single only if nothing else fits in memory) or single")
      ->transform(one_of({"single", "double"}))
      ->option_text("NAME")
      ->group("Kernel");
}

void add_specification_options(CLI::App& command, SpecificationOptions& options) {
  command
      .add_option("--method", options.method.method,
                  joined(method_names()) + "; the first is the default")
      ->transform(one_of(method_names()))
      ->option_text("NAME")
      ->group("Method");
  CLI::Option* ridge =
      command
          .add_option("--ridge", options.method.ridge,
                      "Ridge, > 0, in units of the mean diagonal of the transformed kernel at the "
                      "labels (default: fit chooses by leaving labels out; other methods 0.1, for "
                      "regression chosen by leave-one-out)")
          ->group("Method");
  command
      .add_option("--beta", options.method.beta, "The paper's ridge beta, > 0, instead of --ridge")
      ->excludes(ridge)
      ->group("Method");
  add_definition_options(command, options);
  command
      .add_option("--iterations", options.method.iterations,
                  "label-propagation: number of steps (default: until convergence)")
      ->group("Method");

  command
      .add_flag(
          "--class-mass", options.decision.class_mass,
          "Scale the scores of each class so that predictions follow --prior; the factors are "
          "estimated from the unlabeled samples and also used for new ones")
      ->group("Classes");
  add_prior_option(command, options);

  add_kernel_options(command, options);

  command
      .add_option("--transform", options.method.transform,
                  fmt::format("s: {}; or with parameters, as in \"0.4*inverse-laplacian(0.99) + "
                              "0.6*power(2)\"; or of fits with their ridges, as in "
                              "\"0.7*poisson(1)@0.01 + 0.3*power(2)@0.1\"; "
                              "implied by --eta, --power, --time or --d (default: fit chooses, "
                              "by leaving labels out)",
                              joined(transform_names())))
      ->check([](const std::string& name) -> std::string {
        try {
          check_transform_name(name);
          return {};
        } catch (const ValueError& error) {
          return error.what();
        }
      })
      ->option_text("NAME")
      ->group("Transform");
  command
      .add_option("--eta", options.method.eta,
                  "inverse-laplacian, label-propagation: eta in (0, 1/lambda_1) (default: "
                  "0.99/lambda_1 and 0.8/lambda_1)")
      ->group("Transform");
  command.add_option("--power", options.method.power, "power: exponent p >= 1")->group("Transform");
  command
      .add_option("--coefficients", options.method.coefficients,
                  "polynomial: pi_1,pi_2,...; reciprocal: xi_0,xi_1,...")
      ->delimiter(',')
      ->group("Transform");
  command
      .add_option("--r", options.method.r,
                  "reciprocal: 1/s = sum of xi_p lambda^(p-r) (default: 1)")
      ->group("Transform");
  command.add_option("--time", options.method.time, "diffusion: t in e^(t lambda) - 1")
      ->group("Transform");
  command
      .add_option(
          "--d", options.method.dimension,
          "truncation, kernel-pca: number of eigenvectors (kernel-pca default: at most 128)")
      ->group("Transform");

  command
      .add_option("--solver", options.method.solver,
                  fmt::format("Solver of the ridge system: {}; the first is the default",
                              joined(solver_names())))
      ->transform(one_of(solver_names()))
      ->option_text("NAME")
      ->group("Solver");
  command
      .add_option("--tolerance", options.method.tolerance,
                  "Relative residual to reach (default: 1e-8)")
      ->group("Solver");
  command
      .add_option("--max-iterations", options.method.max_iterations,
                  "Maximum number of steps (default: 1000)")
      ->group("Solver");
  command
      .add_option("--step-size", options.method.step_size,
                  "richardson: gamma (default: from a bound on the spectrum)")
      ->group("Solver");
}

void add_definition_options(CLI::App& command, SpecificationOptions& options) {
  command
      .add_flag("--literal-top-d", options.literal_top_d,
                "truncation, kernel-pca: exactly the d leading eigenvectors, even if they lie in "
                "components that no label reaches or split a set of equal eigenvalues")
      ->group("Method");
  command
      .add_option("--measure", options.measure,
                  "graphs: weight nodes equally (uniform) or by their degree (degree); default: "
                  "degree for kernel probability, else uniform")
      ->transform(one_of(measure_names()))
      ->option_text("NAME")
      ->group("Method");
  command
      .add_flag_callback(
          "--no-intercept", [&options] { options.decision.intercept = false; },
          "regression: do not fit a constant")
      ->group("Method");
}

void add_prior_option(CLI::App& command, SpecificationOptions& options) {
  command
      .add_option(
          "--prior", options.prior,
          "Class shares in the order of the class names: 0.7,0.3 or uniform (default: those "
          "of the labeled samples); used by --class-mass and for samples without "
          "evidence; with shares, predictions of fit have these class sizes")
      ->check(not_empty())
      ->option_text("SHARES")
      ->group("Classes");
}

Specification finish_kernel(const SpecificationOptions& options) {
  Specification spec;
  KernelOptions kernel = options.kernel;
  if (!options.length_scale.empty()) {
    kernel.length_scale = parse_length_scale(options.length_scale, "--length-scale");
  }
  spec.kernel = from_options([&] { return kernel_spec(kernel); });
  double share = 0.0;
  for (const std::string& text : options.added) {
    spec.added.push_back(parse_added_kernel(text));
    share += spec.added.back().share.value_or(0.0);
  }
  if (share > 1.0 + 1e-12) {
    throw CLI::ValidationError("--add-kernel", "the shares sum to more than 1");
  }
  spec.center = options.center;
  spec.measure = measure_from_name(options.measure);
  spec.precision = options.precision.empty()       ? Precision::single_if_needed
                   : options.precision == "single" ? Precision::single
                                                   : Precision::full;
  spec.decision = options.decision;
  read_prior(options.prior, spec.decision);
  return spec;
}

Specification finish_specification(const SpecificationOptions& options) {
  Specification spec = finish_kernel(options);
  MethodOptions method = options.method;
  method.literal_top_d = options.literal_top_d;
  spec.method = from_options([&] { return method_spec(method); });
  return spec;
}

bool adds_point_kernel(const Specification& spec) {
  return std::any_of(spec.added.begin(), spec.added.end(),
                     [](const AddedKernel& added) { return !added.kernel.takes_graph(); });
}

}  // namespace stkr::app
