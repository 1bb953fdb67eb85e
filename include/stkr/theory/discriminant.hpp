#pragma once

#include <span>

#include "stkr/matrix.hpp"

namespace stkr {

// How well scores, one row per sample, separate classes (Appendix, link with discriminant
// analysis; Huberty and Olejnik 2006). T is the total and B the between-class scatter of the rows.
struct Discriminant {
  Vector share;              // η² of each column: B_jj/T_jj, from 0 to 1; 0 for a constant column
  double overall = 0.0;      // Tr B/Tr T
  double ratio_trace = 0.0;  // Tr(T⁻¹ B), at most min(classes - 1, columns)
  Index classes = 0;         // that occur
};

// Samples with a negative class are ignored. Throws ShapeError unless there is one class per row,
// ValueError without samples or if a score is not finite.
Discriminant discriminant(ConstMatrixRef scores, std::span<const Index> classes);

}  // namespace stkr
