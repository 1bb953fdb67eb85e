#include "linop/components.hpp"

namespace stkr {

Components connected_components(const CsrMatrix& matrix) {
  Components result{0, std::vector<std::int32_t>(matrix.rows, -1)};
  std::vector<Index> open;
  const auto visit = [&](Index i) {
    bool any = false;
    for (std::int64_t p = matrix.row_start[i]; p < matrix.row_start[i + 1]; ++p) {
      if (matrix.value[p] == 0.0) continue;
      any = true;
      const std::int32_t j = matrix.column[p];
      if (result.of[j] < 0) {
        result.of[j] = result.count;
        open.push_back(j);
      }
    }
    return any;
  };
  for (Index start = 0; start < matrix.rows; ++start) {
    if (result.of[start] >= 0 || !visit(start)) continue;
    result.of[start] = result.count;
    while (!open.empty()) {
      const Index i = open.back();
      open.pop_back();
      visit(i);
    }
    ++result.count;
  }
  return result;
}

}  // namespace stkr
