#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "stkr/error.hpp"
#include "stkr/specification/specification.hpp"

namespace stkr {
namespace {

void check_ridge(const RidgeSpec& ridge) {
  const auto check = [](const char* name, double value) {
    if (value > 0.0 && std::isfinite(value)) return;
    throw ParameterError(
        fmt::format("{} = {}; expected a positive number (1e-2 is usual)", name, value));
  };
  if (const auto* relative = std::get_if<RelativeRidge>(&ridge)) check("ridge", relative->value);
  if (const auto* paper = std::get_if<PaperBeta>(&ridge)) check("beta", paper->value);
}

}  // namespace

const RidgeSpec* ridge_of(const MethodSpec& method) {
  return std::visit(
      [](const auto& spec) -> const RidgeSpec* {
        if constexpr (requires { spec.ridge; }) return &spec.ridge;
        return nullptr;
      },
      method);
}

RidgeSpec* ridge_of(MethodSpec& method) {
  return const_cast<RidgeSpec*>(ridge_of(std::as_const(method)));
}

void check_method(const MethodSpec& method) {
  if (const RidgeSpec* ridge = ridge_of(method)) check_ridge(*ridge);
  std::visit(
      [](const auto& spec) {
        if constexpr (requires { spec.tolerance; }) {
          if (!(spec.tolerance > 0.0)) {
            throw ParameterError(fmt::format(
                "tolerance = {}; expected a positive number (1e-8 is usual)", spec.tolerance));
          }
          if (spec.max_iterations < 1) {
            throw ParameterError(
                fmt::format("max-iterations = {}; expected 1 or more", spec.max_iterations));
          }
        }
        if constexpr (requires { spec.average; }) {
          if (!spec.average.empty() && (spec.transform || spec.ridge.index() > 0)) {
            throw ParameterError("an average has its own transforms and ridges; omit the others");
          }
        }
        if constexpr (requires { spec.learned; }) {
          if (spec.learned && spec.transform) {
            throw ParameterError(
                fmt::format("transform {} is given and to be learned; expected one of them",
                            spec.transform->describe()));
          }
        }
        if constexpr (requires { spec.step_size; }) {
          if (!(spec.step_size >= 0.0)) {
            throw ParameterError(fmt::format(
                "step-size = {}; expected a positive number, or 0 to derive it from the spectrum",
                spec.step_size));
          }
        }
      },
      method);
}

}  // namespace stkr
