#pragma once

#include <cstdint>
#include <vector>

#include "stkr/linop/csr_matrix.hpp"

namespace stkr {

// The connected components of a symmetric sparse matrix, numbered by their first row.
struct Components {
  std::int32_t count = 0;
  std::vector<std::int32_t> of;  // component of each row; -1 for a row without nonzero entries
};

Components connected_components(const CsrMatrix& matrix);

}  // namespace stkr
