#include "stkr/runtime/device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::device_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

TEST(Device, IsTheCpuByDefault) {
  EXPECT_EQ(Device().name(), "cpu");
  EXPECT_EQ(Device(), Device::named("cpu"));
  EXPECT_EQ(Device::names().front(), "cpu");
}

TEST(Device, OfThisBuildIsFoundByItsName) {
  for (const std::string& name : Device::names()) EXPECT_EQ(Device::named(name).name(), name);
}

TEST(Device, ThatCannotBeUsedIsRefusedWithTheReason) {
  if (Device::names().size() > 1) GTEST_SKIP() << "skipped: this machine has a CUDA device";
  const std::string message = message_of<ValueError>([] { Device::named("cuda"); });
  EXPECT_THAT(message, HasSubstr("device 'cuda' cannot be used: "));
  EXPECT_THAT(message, HasSubstr("expected cpu"));
  EXPECT_THAT(message, HasSubstr("stkr --version"));
}

TEST(Device, OfAnotherNameIsUnknown) {
  for (const char* name : {"", "CPU", "tpu", "cuda:0"}) {
    EXPECT_THAT(message_of<ValueError>([&] { Device::named(name); }),
                HasSubstr("is unknown; expected cpu"));
  }
}

}  // namespace
}  // namespace stkr::device_test
