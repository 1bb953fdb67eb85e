#pragma once

#include <cstdint>

#include "stkr/gram/point_gram.hpp"

namespace stkr {

struct PrecisionError {
  double relative = 0.0;  // ‖(S₃₂ - S) V‖/‖S V‖ on the sampled rows
  Index rows = 0;
};

// The relative error of single-precision products with a gram, compared with the same points in
// double precision, on at most `rows` random samples and a random block V. Covers rounded points,
// cancellation in distances and rounded exponentials, by the kernel's definition. Costs rows × N
// kernel evaluations, negligible compared with a product. Throws ShapeError unless `points` has the
// shape of the points of `single`.
PrecisionError measure_precision_error(const PointGram<float>& single, ConstMatrixRef points,
                                       std::uint64_t seed = 1, Index rows = 64, int threads = 0);

}  // namespace stkr
