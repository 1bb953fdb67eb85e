#pragma once

#include <string>
#include <vector>

#include "specification/kernel_names.hpp"
#include "stkr/selection/grid.hpp"

namespace CLI {
class App;
}

namespace stkr::app {

// "2.5", "0.5x" for half the default, or "median". Throws CLI::ValidationError for anything else.
LengthScale parse_length_scale(const std::string& text, const char* option);

// "rbf", "rbf:0.3", "rbf:0.3:length-scale=0.5x": a kernel, its share, its parameters. Throws
// CLI::ValidationError.
AddedKernel parse_added_kernel(const std::string& text);

// The inverse: --kernel rbf --length-scale 0.5x, as words, for what a KernelGrid varies.
std::vector<std::string> kernel_words(const Specification& spec);

// --kernels, --length-scales, --neighbor-counts, --mixes.
struct KernelGridOptions {
  std::vector<std::string> kernels;
  std::vector<std::string> length_scales;
  std::vector<Index> neighbor_counts, smoothings;
  std::vector<double> mixes;
  const CLI::App* command = nullptr;  // set by add_kernel_grid_options
};
void add_kernel_grid_options(CLI::App& command, KernelGridOptions& options);

// Throws ParameterError for values outside their domain, CLI::ValidationError if a list is combined
// with the option for a single value. `kernel` holds the options that apply to every kernel of the
// list.
KernelGrid finish_kernel_grid(const KernelGridOptions& options, const KernelOptions& kernel = {});

}  // namespace stkr::app
