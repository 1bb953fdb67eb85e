#include "row_cuts.hpp"

namespace stkr {

std::vector<Index> row_cuts(Index rows, Index parts,
                            const std::function<Index(Index row)>& entries_before) {
  std::vector<Index> first(static_cast<std::size_t>(parts) + 1, rows);
  first[0] = 0;
  const Index all = entries_before(rows) + rows;
  const auto work_before = [&](Index row) { return entries_before(row) + row; };
  for (std::size_t p = 1; p + 1 < first.size(); ++p) {
    const auto part = static_cast<Index>(p);
    const Index wanted = all / parts * part + all % parts * part / parts;
    Index low = first[p - 1], high = rows;
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (work_before(middle) < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    // The nearer of two ends, so that a hub is not always added to what comes before it.
    if (low > first[p - 1] && wanted - work_before(low - 1) < work_before(low) - wanted) --low;
    first[p] = low;
  }
  return first;
}

}  // namespace stkr
