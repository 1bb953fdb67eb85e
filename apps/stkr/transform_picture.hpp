#pragma once

#include <string>

#include "stkr/selection/fit_automatic.hpp"

namespace stkr::app {

// --plot-transform: checks before any work what can be known then. Throws CLI::ValidationError.
void check_picture(const std::string& plot, const Specification& spec);

// Draws the transform of a fit, or the transforms of an average.
void draw_picture(const std::string& plot, const AutomaticFit& fit);

}  // namespace stkr::app
