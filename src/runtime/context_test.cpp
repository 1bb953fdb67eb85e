#include "stkr/runtime/context.hpp"

#include <gtest/gtest.h>

#include "stkr/error.hpp"

namespace stkr {
namespace {

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
