#include "stkr/runtime/context.hpp"

#include <gtest/gtest.h>

#include "stkr/error.hpp"

namespace stkr::context_test {
namespace {

// f(options, {2000}) with a defaulted context in between must not take 2000 for threads.
template <class... Arguments>
concept MakesAContext = requires(Arguments... arguments) {
  Context{arguments...};
};
static_assert(!MakesAContext<int>);
static_assert(!MakesAContext<int, int>);

TEST(Context, OfAnInnerComputationReportsButDoesNotSave) {
  Context context{.threads = 3, .seed = 7, .memory = 11};
  context.progress = [](const Progress&) {};
  const Context inner = context.inner();
  EXPECT_TRUE(inner.progress);
  EXPECT_EQ(inner.saved, nullptr);
  EXPECT_EQ(inner.threads, 3);
  EXPECT_EQ(inner.seed, 7u);
  EXPECT_EQ(inner.memory, 11u);
  EXPECT_EQ(inner.device, context.device);
}

TEST(Progress, CountsStepsOrTheLogarithmOfTheResidual) {
  EXPECT_EQ((Progress{"search", 30, 120}.fraction()), 0.25);
  EXPECT_EQ((Progress{"search", 30, 0}.fraction()), 0.0);
  EXPECT_EQ((Progress{"search", 30, 20}.fraction()), 1.0);
  EXPECT_NEAR((Progress{"cg", 3, 1000, 1e-2, 1, 1e-8}.fraction()), 0.25, 1e-12);
  EXPECT_EQ((Progress{"cg", 3, 1000, 7.0, 1, 1e-8}.fraction()), 0.0);
  EXPECT_EQ((Progress{"cg", 3, 1000, 0.0, 0, 1e-8}.fraction()), 1.0);
}

TEST(Context, NobodyStopsByDefault) { EXPECT_NO_THROW(Context{}.check_cancelled()); }

TEST(Context, ThrowsIfAStopIsRequested) {
  std::stop_source source;
  const Context context{.cancel = source.get_token()};
  EXPECT_NO_THROW(context.check_cancelled());
  source.request_stop();
  EXPECT_THROW(context.check_cancelled(), Cancelled);
}

}  // namespace
}  // namespace stkr::context_test
