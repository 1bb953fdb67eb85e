#include "linop/components.hpp"

#include <gtest/gtest.h>

namespace stkr::components_test {
namespace {

TEST(Components, AreNumberedByTheirFirstRow) {
  // 0-3, 1-4-5, 2 alone, 6 with a self-loop, an explicit zero between 3 and 4
  const CsrMatrix matrix = csr_from_triplets(7, 7,
                                             {{0, 3, 1.0},
                                              {3, 0, 1.0},
                                              {1, 4, 2.0},
                                              {4, 1, 2.0},
                                              {4, 5, 1.0},
                                              {5, 4, 1.0},
                                              {6, 6, 1.0},
                                              {3, 4, 0.0},
                                              {4, 3, 0.0}});
  const Components found = connected_components(matrix);
  EXPECT_EQ(found.count, 3);
  EXPECT_EQ(found.of, (std::vector<std::int32_t>{0, 1, -1, 0, 1, 1, 2}));
}

TEST(Components, OfNothing) {
  const Components found = connected_components(csr_from_triplets(3, 3, {}));
  EXPECT_EQ(found.count, 0);
  EXPECT_EQ(found.of, (std::vector<std::int32_t>{-1, -1, -1}));
}

TEST(Components, ALongPathIsOne) {
  std::vector<Triplet> edges;
  const std::int32_t n = 100000;
  for (std::int32_t i = 0; i + 1 < n; ++i) {
    edges.push_back({i, i + 1, 1.0});
    edges.push_back({i + 1, i, 1.0});
  }
  EXPECT_EQ(connected_components(csr_from_triplets(n, n, edges)).count, 1);
}

}  // namespace
}  // namespace stkr::components_test
