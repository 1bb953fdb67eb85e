#include "stkr/runtime/context.hpp"

#include <gtest/gtest.h>

#include "stkr/error.hpp"

namespace stkr {
namespace {

// f(options, {2000}) with a defaulted context in between must not take 2000 for threads.
template <class... Arguments>
concept MakesAContext = requires(Arguments... arguments) {
  Context{arguments...};
};
static_assert(!MakesAContext<int>);
static_assert(!MakesAContext<int, int>);

TEST(Context, OfAnInnerComputationNeitherReportsNorSaves) {
  Context context{.threads = 3, .seed = 7, .memory = 11};
  context.progress = [](const Progress&) {};
  const Context inner = context.inner();
  EXPECT_FALSE(inner.progress);
  EXPECT_EQ(inner.saved, nullptr);
  EXPECT_EQ(inner.threads, 3);
  EXPECT_EQ(inner.seed, 7u);
  EXPECT_EQ(inner.memory, 11u);
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
}  // namespace stkr
