#include "specification_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel_options.hpp"
#include "stkr/specification/method_names.hpp"

namespace stkr::app {
namespace {

// Options with spaces and other characters that a shell interprets need quotes.
std::string quoted(const std::string& text) {
  return text.find_first_of(" *()@") == std::string::npos ? text : "\"" + text + "\"";
}

}  // namespace

std::string method_text(const Specification& spec) {
  const MethodOptions options = options_of(spec.method);
  std::string text = options.transform.empty()
                         ? fmt::format("--method {}", options.method)
                         : fmt::format("--transform {}", quoted(options.transform));
  if (options.power) text += fmt::format(" --power {}", *options.power);
  if (!options.coefficients.empty()) {
    text += fmt::format(" --coefficients {}", fmt::join(options.coefficients, ","));
  }
  if (options.eta) text += fmt::format(" --eta {}", *options.eta);
  if (options.time) text += fmt::format(" --time {}", *options.time);
  if (options.dimension) text += fmt::format(" --d {}", *options.dimension);
  if (options.ridge) text += fmt::format(" --ridge {}", *options.ridge);
  if (options.beta) text += fmt::format(" --beta {}", *options.beta);
  if (options.iterations) text += fmt::format(" --iterations {}", *options.iterations);
  if (spec.decision.class_mass) text += " --class-mass";
  return text;
}

std::string options_text(const Specification& spec) {
  const std::string kernel = kernel_options(spec);
  return kernel.empty() ? method_text(spec) : kernel + " " + method_text(spec);
}

}  // namespace stkr::app
