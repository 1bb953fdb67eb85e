#pragma once

#include <algorithm>

#include "stkr/matrix.hpp"

namespace stkr::detail {

// Appends `more` after the first `used` rows of `rows` and increases `used`. A full matrix grows by
// half; it is resized in place (realloc moves pages and does not copy them), so that the rows are
// never in memory twice. Resize it to `used` rows at the end.
inline void append_rows(Matrix& rows, Index& used, const Matrix& more) {
  const Index needed = used + more.rows();
  if (needed > rows.rows()) {
    rows.conservativeResize(std::max(needed, rows.rows() + rows.rows() / 2), Eigen::NoChange);
  }
  rows.middleRows(used, more.rows()) = more;
  used = needed;
}

}  // namespace stkr::detail
