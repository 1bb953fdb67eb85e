#include "specification_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel_options.hpp"
#include "specification/method_names.hpp"

namespace stkr::app {

std::vector<std::string> method_words(const Specification& spec) {
  const MethodOptions options = options_of(spec.method);
  std::vector<std::string> words;
  const auto add = [&](const char* name, std::string value) {
    words.emplace_back(name);
    words.push_back(std::move(value));
  };
  const auto add_number = [&](const char* name, const auto& value) {
    if (value) add(name, fmt::format("{}", *value));
  };
  if (options.transform.empty()) {
    add("--method", options.method);
  } else {
    add("--transform", options.transform);
  }
  add_number("--power", options.power);
  if (!options.coefficients.empty()) {
    add("--coefficients", fmt::format("{}", fmt::join(options.coefficients, ",")));
  }
  add_number("--eta", options.eta);
  add_number("--time", options.time);
  add_number("--d", options.dimension);
  add_number("--ridge", options.ridge);
  add_number("--beta", options.beta);
  add_number("--iterations", options.iterations);
  if (spec.decision.class_mass) words.emplace_back("--class-mass");
  return words;
}

std::vector<std::string> option_words(const Specification& spec) {
  std::vector<std::string> words = kernel_words(spec);
  for (std::string& word : method_words(spec)) words.push_back(std::move(word));
  return words;
}

}  // namespace stkr::app
