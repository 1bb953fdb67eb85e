#include "linop/saved_state.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "saved_in_memory.hpp"
#include "stkr/error.hpp"

namespace stkr::saved_state_test {
namespace {

TEST(SavedState, NamesComeInTheSameOrder) {
  SavedInMemory state;
  for (SavedInMemory run : {state.again(), state.again()}) {
    EXPECT_EQ(run.next_name("cg"), "cg 1");
    EXPECT_EQ(run.next_name("minres"), "minres 1");
    EXPECT_EQ(run.next_name("cg"), "cg 2");
  }
}

TEST(SavedState, BlocksHoldTexts) {
  for (const std::string text : {"", "filtered block Lanczos", "η < 1/λ₁"}) {
    EXPECT_EQ(block_text(text_block(text)), text);
  }
}

TEST(SavedState, NumbersAreNoText) {
  for (const double value : {-1.0, 256.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(block_text(Matrix::Constant(1, 2, value)), ValueError) << value;
  }
}

TEST(SavedState, IsComputedOnce) {
  int computed = 0;
  const auto compute = [&] {
    ++computed;
    return std::vector<Matrix>{Matrix::Constant(2, 3, 7.0)};
  };
  SavedInMemory state;
  const std::vector<Matrix> first = saved_or(&state, "system", compute);
  SavedInMemory again = state.again();
  EXPECT_EQ(saved_or(&again, "system", compute), first);
  EXPECT_EQ(computed, 1);
  EXPECT_EQ(saved_or(&again, "system", compute), first);  // another computation of that name
  EXPECT_EQ(computed, 2);
  EXPECT_EQ(saved_or(nullptr, "system", compute), first);
  EXPECT_EQ(computed, 3);
}

}  // namespace
}  // namespace stkr::saved_state_test
