#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace stkr {

// The transforms that a name and numbers determine, in the order of SpectralTransform::Form.
enum class TransformKind {
  power,
  polynomial,
  inverse_laplacian,
  reciprocal,
  diffusion,
  truncation,
  poisson,
  smooth_step,
};

// Their names in options, texts, files and messages: here alone (tests/names.sh).
constexpr std::array<std::string_view, 8> kTransformNames{
    "power",     "polynomial", "inverse-laplacian", "reciprocal",
    "diffusion", "truncation", "poisson",           "smooth-step"};
constexpr std::string_view kSumOfTransforms = "sum";
constexpr std::string_view kThroughPairs = "through";  // stkr/transform/through.hpp
constexpr std::string_view kLearnedTransform = "learned";

constexpr std::string_view transform_name(TransformKind kind) {
  return kTransformNames[static_cast<std::size_t>(kind)];
}

inline std::optional<TransformKind> find_transform_kind(std::string_view name) {
  const auto found = std::find(kTransformNames.begin(), kTransformNames.end(), name);
  if (found == kTransformNames.end()) return std::nullopt;
  return static_cast<TransformKind>(found - kTransformNames.begin());
}

}  // namespace stkr
