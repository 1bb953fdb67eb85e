#pragma once

#include <algorithm>

#include "stkr/matrix.hpp"

namespace stkr::detail {

// Puts `more` behind the first `used` rows of `rows` and counts them in. The matrix grows by half
// when it is full; resized in place (realloc moves pages, it does not copy them), so that the rows
// are never in memory twice. Cut it to `used` rows in the end.
inline void append_rows(Matrix& rows, Index& used, const Matrix& more) {
  const Index needed = used + more.rows();
  if (needed > rows.rows()) {
    rows.conservativeResize(std::max(needed, rows.rows() + rows.rows() / 2), Eigen::NoChange);
  }
  rows.middleRows(used, more.rows()) = more;
  used = needed;
}

}  // namespace stkr::detail
