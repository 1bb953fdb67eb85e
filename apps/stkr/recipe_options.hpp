#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>
#include <vector>

#include "stkr/dataset/load_dataset.hpp"
#include "stkr/estimator/recipe.hpp"

namespace stkr::app {

// What --kernel takes.
const std::vector<std::string>& kernel_names();
// Takes an old spelling, too, and replaces it.
CLI::Validator is_kernel_name();

// --labels, --labeled, --minus-one-is-class, --task, --kind, --symmetrize, --features.
void add_load_options(CLI::App& command, LoadOptions& options);

// --method, --kernel, --transform and all their parameters. Values land in the recipe by the time
// `finish_recipe` has run, after parsing.
struct RecipeOptions {
  Recipe recipe;
  std::string method = "stkr";
  std::string solver = "automatic";
  std::string precision;  // empty: double, or single where nothing else fits in memory
  std::optional<double> gamma;
  std::string prior;                  // "uniform" or shares with commas
  std::string length_scale;           // "2.5" or "0.5x"; empty: the default
  std::vector<std::string> added;     // "rbf:0.3"
  const CLI::App* command = nullptr;  // set by add_recipe_options or add_kernel_options
};
void add_recipe_options(CLI::App& command, RecipeOptions& options);

// Only those that make the gram: --kernel and its parameters.
void add_kernel_options(CLI::App& command, RecipeOptions& options);

// What f is besides kernel and transform: --literal-top-d, --measure, --no-intercept.
void add_definition_options(CLI::App& command, RecipeOptions& options);

// --prior: how frequent classes are.
void add_prior_option(CLI::App& command, RecipeOptions& options);

// Throws CLI::ValidationError where options contradict each other or would have no effect.
Recipe finish_recipe(const RecipeOptions& options);

// Whether some kernel is to be added that is one of points: beside a graph, of its nodes' features.
bool adds_point_kernel(const Recipe& recipe);

}  // namespace stkr::app
