#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stkr/estimator/recipe.hpp"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace stkr::app {

// The values of --kernel.
const std::vector<std::string>& kernel_names();
// Accepts old spellings and replaces them.
CLI::Validator is_kernel_name();

// --method, --kernel, --transform and all their parameters. `finish_recipe`, called after parsing,
// puts the values into the recipe.
struct RecipeOptions {
  Recipe recipe;
  std::string method = "stkr";
  std::string solver = "automatic";
  std::string precision;  // empty: double, or single if nothing else fits in memory
  std::optional<double> gamma;
  std::string prior;                  // "uniform" or shares with commas
  std::string length_scale;           // "2.5" or "0.5x"; empty: the default
  std::vector<std::string> added;     // "rbf:0.3"
  const CLI::App* command = nullptr;  // set by add_recipe_options or add_kernel_options
};
void add_recipe_options(CLI::App& command, RecipeOptions& options);

// Only the options of the gram: --kernel and its parameters.
void add_kernel_options(CLI::App& command, RecipeOptions& options);

// The options that define f besides kernel and transform: --literal-top-d, --measure,
// --no-intercept.
void add_definition_options(CLI::App& command, RecipeOptions& options);

// --prior: the class frequencies.
void add_prior_option(CLI::App& command, RecipeOptions& options);

// Throws CLI::ValidationError if options contradict each other or would have no effect.
Recipe finish_recipe(const RecipeOptions& options);

// Whether a point kernel is added: for a graph, a kernel of its node features.
bool adds_point_kernel(const Recipe& recipe);

}  // namespace stkr::app
