#pragma once

#include <cstdint>

#include "stkr/gram/point_gram.hpp"

namespace stkr {

struct PrecisionError {
  double relative = 0.0;  // ‖(S₃₂ - S) V‖/‖S V‖ on the sampled rows
  Index rows = 0;
};

// How far the products of a gram in single precision are from those of the same points in double,
// measured on at most `rows` random samples and a random block V: rounded points, cancelled
// distances and rounded exponentials together, from the kernel's definition. Costs rows × N kernel
// evaluations, next to nothing beside a product. Throws ShapeError unless `points` are as many and
// as long as those of `single`.
PrecisionError measure_precision_error(const PointGram<float>& single, ConstMatrixRef points,
                                       std::uint64_t seed = 1, Index rows = 64, int threads = 0);

}  // namespace stkr
