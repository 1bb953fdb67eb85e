#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "stkr/selection/grid.hpp"

namespace stkr::app {

// --families and the values to try for each parameter.
struct GridOptions {
  Grid grid;
  std::vector<std::string> families;     // empty: those of the paper, and those with values given
  std::vector<std::string> polynomials;  // "1,0,0.5" each
  std::vector<double> propagation_etas;  // empty: those of the inverse Laplacian
};
void add_grid_options(CLI::App& command, GridOptions& options);

// Throws CLI::ValidationError for values outside their domain, and where a family that is asked for
// has no values.
Grid finish_grid(const GridOptions& options);

}  // namespace stkr::app
