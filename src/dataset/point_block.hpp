#pragma once

#include <span>
#include <variant>

#include "stkr/linop/csr_matrix.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// Some points, one per row; sparse if their file is.
using PointBlock = std::variant<Matrix, CsrMatrix>;
Index rows_of(const PointBlock& points);

// The given columns, each once, in this order.
PointBlock in_order(PointBlock points, std::span<const Index> columns);

// Appends `more`, of the same kind, and increases `rows`, the rows in use. A dense block grows by
// more than that: resize it to `rows` at the end.
void append_rows(PointBlock& to, Index& rows, const PointBlock& more);

}  // namespace stkr
