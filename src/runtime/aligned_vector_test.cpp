#include "runtime/aligned_vector.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace stkr::aligned_vector_test {

TEST(AlignedVector, StartsAtACacheLineWhateverItsSize) {
  std::vector<AlignedVector<double>> all;
  for (std::size_t size = 1; size < 400; size += 7) {
    all.emplace_back(size);
    std::iota(all.back().begin(), all.back().end(), static_cast<double>(size));
  }
  for (const AlignedVector<double>& each : all) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(each.data()) % 64, 0U);
    EXPECT_EQ(each.back(), 2.0 * static_cast<double>(each.size()) - 1.0);
  }
}

TEST(AlignedVector, CanGrowAndMove) {
  AlignedVector<float> first(3, 1.5F);
  first.resize(100'000, 2.5F);
  const AlignedVector<float> second = std::move(first);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(second.data()) % 64, 0U);
  EXPECT_EQ(second[2], 1.5F);
  EXPECT_EQ(second[99'999], 2.5F);
}

}  // namespace stkr::aligned_vector_test
