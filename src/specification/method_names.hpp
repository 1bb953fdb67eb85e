#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stkr/specification/specification.hpp"

namespace stkr {

// Options of a method and its transform by name. Those that are not given keep their defaults.
struct MethodOptions {
  std::string method{};  // empty: stkr
  // A name, "learned", or a text with all parameters (transform_text.hpp); empty: the default, or
  // the one that `power`, `time` or `d` imply.
  std::string transform{};
  std::optional<double> eta{};
  std::optional<double> power{};
  std::vector<double> coefficients{};  // π of polynomial, ξ of reciprocal
  std::optional<int> r{};
  std::optional<double> time{};
  std::optional<Index> dimension{};
  std::optional<double> ridge{};
  std::optional<double> beta{};
  std::string solver{};  // empty: automatic
  std::optional<double> tolerance{};
  std::optional<int> max_iterations{};
  std::optional<double> step_size{};
  std::optional<int> iterations{};
  bool literal_top_d = false;
  bool pca_of_all = false;
};
// Throws as kernel_spec does.
MethodSpec method_spec(const MethodOptions& options);
// The options from which method_spec makes this method.
MethodOptions options_of(const MethodSpec& method);
std::string name_of(const MethodSpec& method);

// The names that exist, in the order in which help texts list them.
const std::vector<std::string>& transform_names();
// Throws ValueError unless it is one of these names or a text of transform_text.hpp.
void check_transform_name(const std::string& name);
const std::vector<std::string>& method_names();
std::vector<std::string> solver_names();

}  // namespace stkr
