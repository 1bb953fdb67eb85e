#pragma once

#include <string>
#include <vector>

#include "stkr/selection/grid.hpp"

namespace CLI {
class App;
}

namespace stkr::app {

// --families and the values to try for each parameter.
struct GridOptions {
  Grid grid;
  std::vector<std::string> families;     // empty: the paper's, and those with given values
  std::vector<std::string> polynomials;  // "1,0,0.5" each
  std::vector<double> propagation_etas;  // empty: those of the inverse Laplacian
};
void add_grid_options(CLI::App& command, GridOptions& options);

// Throws ParameterError for values outside their domain, CLI::ValidationError if a requested family
// has no values.
Grid finish_grid(const GridOptions& options);

}  // namespace stkr::app
