#pragma once

#include <optional>
#include <vector>

#include "progress.hpp"
#include "specification/kernel_names.hpp"
#include "specification/method_names.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr::python {

// What Python hands over as one object: what to fit, by name, and the threads, seed, memory and
// device to use.
struct NamedSpecification {
  KernelOptions kernel{};
  std::optional<KernelSpec> chosen_kernel{};  // instead of `kernel`, if selection chose it
  // A kernel of a graph's node features and its share of the sum; empty: none.
  KernelOptions features_kernel{.name = ""};
  double features_share = 1.0;
  std::optional<std::vector<AddedKernel>> chosen_added{};  // instead, if selection chose it
  MethodOptions method{};
  std::optional<SpectralTransform> transform{};  // instead of one by name
  bool center = false;
  std::string measure{};
  Vector sample_weights{};
  DecisionOptions decision{};
  Index embedding = 0;
  Context context{};
  bool diagnostics = false;
  bool leave_one_out = false;
  bool keep_system = false;
  WatchFunction progress{};

  Specification specification() const;

  // The context of one call, which can be interrupted, and perhaps watched.
  Context with(std::stop_token cancel) const {
    Context result = context;
    result.cancel = std::move(cancel);
    return result;
  }
  Context with(std::stop_token cancel, ProgressWatch& watch) const {
    Context result = with(std::move(cancel));
    result.progress = watch.sink();
    return result;
  }
};

}  // namespace stkr::python
