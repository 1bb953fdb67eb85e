#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "specification/kernel_names.hpp"
#include "specification/method_names.hpp"

namespace stkr::testing {

using namespace ::testing;  // for tests that say testing::Test

// A specification by names: named({.name = "knn"}, {.power = 2}).
inline Specification named(const KernelOptions& kernel, const MethodOptions& method = {}) {
  Specification spec;
  spec.kernel = kernel_spec(kernel);
  spec.method = method_spec(method);
  return spec;
}

// The default kernel with a method by names.
inline Specification method(const MethodOptions& options) { return named({}, options); }

// ℓ as a number.
inline LengthScale length(double value) { return LengthScale::absolute(value); }

}  // namespace stkr::testing
