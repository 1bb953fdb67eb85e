#pragma once

#include "format/npy.hpp"
#include "stkr/dataset/labels.hpp"

namespace stkr {

// Takes an integer or text vector, or a floating-point vector or matrix. NaN and the texts of
// labels_from_cells are unlabeled. -1 is a class like any other; see hide_minus_one.
Labels labels_from_array(NpyArray array, Task task = Task::automatic);

}  // namespace stkr
