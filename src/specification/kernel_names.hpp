#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <vector>

#include "stkr/error.hpp"
#include "stkr/specification/specification.hpp"

namespace stkr {

// Kernels by name, as command lines, scripts and files give them. Their names are here and in the
// sources of the kernels themselves, nowhere else. specification/method_names is the same for
// methods and transforms.

// An option that does not apply to the kernel or method that it was given with, or that contradicts
// another one.
class OptionError : public ParameterError {
 public:
  OptionError(const std::string& option, const std::string& problem)
      : ParameterError(option + " " + problem), option_(option), problem_(problem) {}
  const std::string& option() const { return option_; }    // "length-scale"
  const std::string& problem() const { return problem_; }  // "applies only to ..."

 private:
  std::string option_, problem_;
};

// Options of a kernel. Those that are not given keep their defaults.
struct KernelOptions {
  std::string name{};  // empty: the default for the kind of data, or knn with one of its options
  std::optional<LengthScale> length_scale{};
  // rbf: 1/(2ℓ²); laplacian: 1/ℓ; polynomial: the factor γ.
  std::optional<double> gamma{};
  std::optional<double> coef0{};     // of polynomial
  std::optional<int> degree{};       // likewise
  std::optional<Index> neighbors{};  // of knn; so are the next four
  std::string edge_weight{};
  std::string edge_rule{};
  std::optional<double> recall{};
  std::optional<Index> principal_components{};
  std::optional<bool> normalize{};
  bool self_loops = false;           // of graph kernels
  std::optional<Index> smoothing{};  // of point kernels of a graph's node features
};
// Throws OptionError for options that the kernel does not have, ValueError for unknown names and
// values outside their domain.
KernelSpec kernel_spec(const KernelOptions& options);
// A template, so that braces mean options.
template <std::convertible_to<std::string> Name>
KernelSpec kernel_spec(const Name& name) {
  return kernel_spec(KernelOptions{.name = name});
}
// The inverse of the name; empty for the automatic kernel.
std::string name_of(const KernelSpec& kernel);
// "rbf 0.5x", "knn k=7": the name and what a KernelGrid varies. `scaled`: show default scales too.
std::string describe(const KernelSpec& kernel, bool scaled = false);
std::string text_of(const LengthScale& scale);  // "2.5", "0.5x" or "median"

// The names that exist, in the order in which help texts list them.
std::vector<std::string> point_kernel_names();  // neighbor graphs included
std::vector<std::string> graph_kernel_names();
std::vector<std::string> kernel_names();  // both, and the name of precomputed kernels
// The name as listed, whether written with '-' or '_'. Throws ParameterError, with a suggestion,
// for an unknown one.
std::string known_kernel_name(const std::string& name);
std::vector<std::string> edge_weight_names();
std::vector<std::string> edge_rule_names();
std::vector<std::string> measure_names();
Measure measure_from_name(const std::string& name);  // empty: automatic

std::string joined(const std::vector<std::string>& names);  // "a, b, c"

}  // namespace stkr
