#pragma once

#include <optional>

#include "stkr/inference/fitted_system.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

// Why a sample has its scores.
struct Contributions {
  // α_i K̂_s(x, x_i) for every label: n × C. With `constant`, they add up to f(x).
  Matrix by_label;
  Vector constant;  // the free constant and the mean of the targets; zero for classes
  Vector score;     // f(x)
  // K(x, x_j) c_j for every known sample through which labels act, the largest first: on graphs the
  // neighbors. Empty for a labeled sample of a kernel with a self term.
  std::vector<Index> through;
  Matrix by_sample;  // as many rows as `through`
  // Within this distance d_{K_s} of x (Proposition 1, prop:extend-lip), the best class stays ahead
  // of the second: (f_a - f_b)(x)/‖f_a - f_b‖_{K_s}. For classes fitted with one transform and
  // ridge.
  std::optional<double> radius{};
};

// For one known sample, or one new one. `through`: at most so many samples.
Contributions contributions(const FittedSystem& system, Index sample, Index through = 10,
                            const Context& context = {});
Contributions contributions(const FittedSystem& system, const NewSamples& sample,
                            Index through = 10, const Context& context = {});

// The path along which label i acts on x most strongly at every step, from x to x_i: known samples,
// x first. On sparse kernels; empty if the label does not reach x within `most` steps.
std::vector<Index> strongest_path(const FittedSystem& system, Index sample, Index label_position,
                                  Index most = 30, const Context& context = {});

}  // namespace stkr
