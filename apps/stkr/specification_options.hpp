#pragma once

#include <string>
#include <vector>

#include "specification/kernel_names.hpp"
#include "specification/method_names.hpp"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace stkr::app {

// Accepts the names of kernels; for Option::transform, which replaces other spellings.
CLI::Validator is_kernel_name();

// --method, --kernel, --transform and all their parameters, as given. `finish_specification`,
// called after parsing, turns them into a specification.
struct SpecificationOptions {
  KernelOptions kernel;
  MethodOptions method;
  DecisionOptions decision;
  bool center = false;
  bool literal_top_d = false;
  std::string measure;
  std::string precision;           // empty: double, or single if nothing else fits in memory
  std::string prior;               // "uniform" or shares with commas
  std::string length_scale;        // "2.5" or "0.5x"; empty: the default
  std::vector<std::string> added;  // "rbf:0.3"
};
void add_specification_options(CLI::App& command, SpecificationOptions& options);

// Only the options of the gram: --kernel and its parameters.
void add_kernel_options(CLI::App& command, SpecificationOptions& options);

// The options that define f besides kernel and transform: --literal-top-d, --measure,
// --no-intercept.
void add_definition_options(CLI::App& command, SpecificationOptions& options);

// --prior: the class frequencies.
void add_prior_option(CLI::App& command, SpecificationOptions& options);

// Throws CLI::ValidationError if options contradict each other or would have no effect.
Specification finish_specification(const SpecificationOptions& options);
// The same without a method, for commands that select one.
Specification finish_kernel(const SpecificationOptions& options);

[[noreturn]] void throw_usage_error(const OptionError& error);
// Calls make(); an OptionError becomes a usage error that names the option of the command line.
// Other ParameterErrors are usage errors as well (main.cpp).
template <class Make>
auto from_options(Make&& make) {
  try {
    return make();
  } catch (const OptionError& error) {
    throw_usage_error(error);
  }
}

// Whether a point kernel is added: for a graph, a kernel of its node features.
bool adds_point_kernel(const Specification& spec);

}  // namespace stkr::app
