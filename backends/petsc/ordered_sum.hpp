#pragma once

#include <functional>

#include "row_layout.hpp"

namespace stkr::petsc {

// A sum of the rows of all processes with the bits of one machine: each process in turn adds its
// own rows to what those before it have added.
Vector ordered_sum(const RowLayout& layout, Index size, const std::function<void(Vector&)>& add);

}  // namespace stkr::petsc
