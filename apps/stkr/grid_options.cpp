#include "grid_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli.hpp"
#include "command.hpp"
#include "specification/kernel_names.hpp"
#include "stkr/error.hpp"

namespace stkr::app {
void add_grid_options(CLI::App& command, GridOptions& options) {
  const std::string group = "Grid (comma-separated values; default: the paper's)";
  Grid& grid = options.grid;
  const auto add = [&](const char* name, auto& values, const char* text) {
    return command.add_option(name, values, text)
        ->delimiter(',')
        ->check(not_empty())
        ->option_text("LIST")
        ->group(group);
  };
  command
      .add_option("--families", options.families,
                  fmt::format("Families to try: {} (default: all that have values)",
                              joined(family_names())))
      ->delimiter(',')
      ->transform(one_of(family_names()))
      ->option_text("LIST")
      ->group(group);
  CLI::Option* ridges =
      add("--ridges", grid.ridges,
          "Ridge, > 0, in units of the mean diagonal of the transformed kernel (1e2,1e1,...,1e-9)");
  add("--betas", grid.betas, "The paper's ridge beta, > 0, instead of --ridges")->excludes(ridges);
  add("--powers", grid.powers, "power: p >= 1 (1,2,4,6,8)");
  add("--etas", grid.etas,
      "inverse-laplacian: eta between 0 and 1, in units of 1/lambda_1, which is 1 on graphs and "
      "normalized kernels (0.7,0.8,0.9,0.99,...,0.999999)");
  add("--poisson-etas", grid.poisson_etas,
      "poisson: eta above 0 and at most 1, in units of 1/lambda_1 (none)");
  add("--dimensions", grid.dimensions, "kernel-pca: d (32,64,128,256,512)");
  add("--propagation-etas", options.propagation_etas,
      "label-propagation: eta (default: as for the inverse Laplacian)");
  add("--propagation-steps", grid.propagation_steps, "label-propagation: T (1,2,4,8,16,32)");
  add("--times", grid.times, "diffusion: t > 0 (none)");
  command
      .add_option("--polynomial", options.polynomials,
                  "polynomial: pi_1,pi_2,... of one polynomial; repeatable")
      ->option_text("LIST")
      ->group(group);
}

Grid finish_grid(const GridOptions& options) {
  Grid grid = options.grid;
  grid.propagation_etas = options.propagation_etas.empty() ? grid.etas : options.propagation_etas;
  for (const std::string& text : options.polynomials) {
    std::vector<double>& coefficients = grid.polynomials.emplace_back();
    for (const std::string& part : CLI::detail::split(text, ',')) {
      if (!CLI::detail::lexical_cast(part, coefficients.emplace_back())) {
        throw CLI::ValidationError("--polynomial",
                                   "'" + part + "' is not a number; expected pi_1,pi_2,...");
      }
    }
  }
  if (!options.families.empty()) {
    const auto wanted = [&](Family family) {
      return std::find(options.families.begin(), options.families.end(), to_string(family)) !=
             options.families.end();
    };
    const auto keep = [&](Family family, auto& values, const char* option) {
      if (!wanted(family)) values.clear();
      if (wanted(family) && values.empty()) {
        throw CLI::ValidationError("--families",
                                   to_string(family) + " needs values; give " + option);
      }
    };
    keep(Family::power, grid.powers, "--powers");
    keep(Family::polynomial, grid.polynomials, "--polynomial");
    keep(Family::inverse_laplacian, grid.etas, "--etas");
    keep(Family::poisson, grid.poisson_etas, "--poisson-etas");
    keep(Family::diffusion, grid.times, "--times");
    keep(Family::top_d, grid.dimensions, "--dimensions");
    keep(Family::label_propagation, grid.propagation_etas, "--propagation-etas");
  }
  check_grid(grid);
  return grid;
}

}  // namespace stkr::app
