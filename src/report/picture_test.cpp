#include "report/picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stkr/error.hpp"

namespace stkr::report::picture_test {
namespace {

using ::testing::HasSubstr;

TEST(Picture, TakesHeightWidthAndChannels) {
  const PictureShape gray = picture_shape("28x14");
  EXPECT_EQ(gray.height, 28);
  EXPECT_EQ(gray.width, 14);
  EXPECT_EQ(gray.channels, 1);
  EXPECT_EQ(picture_shape("32x32x3").features(), 3072);
  for (const char* wrong : {"", "28", "28x", "x28", "28x28x2", "28x28x3x1", "0x4", "4x-1", "4x4x",
                            "4,4", "4x4 ", "99999x4"}) {
    EXPECT_THROW(picture_shape(wrong), ValueError) << wrong;
  }
}

// The bytes were made by Python's zlib and struct for the gray picture [[0, 255], [128, 64]].
TEST(Picture, IsAPng) {
  Vector values(4);
  values << 0, 255, 128, 64;
  EXPECT_EQ(picture_source(values, {2, 2, 1}),
            "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAAAAABX3VL4AAAAEUlEQVR4AQEGAPn/"
            "AAD/AIBABUIBwHnpCcQAAAAASUVORK5CYII=");
}

TEST(Picture, ScalesItsValues) {
  Vector small(4), large(4);
  small << -1, 1, 0.00392156862, -0.498039215;
  large << 0, 255, 128, 64;
  EXPECT_EQ(picture_source(small, {2, 2, 1}), picture_source(large, {2, 2, 1}));
  EXPECT_THAT(picture_source(Vector::Constant(12, 3.0), {2, 2, 3}), HasSubstr("image/png"));
}

TEST(Picture, IsReducedIfLarge) {
  EXPECT_LT(picture_source(Vector::LinSpaced(90'000, 0, 1), {300, 300, 1}).size(), 6'000u);
}

TEST(Picture, RefusesAnotherNumberOfFeatures) {
  EXPECT_THROW(picture_source(Vector::Zero(5), {2, 2, 1}), ShapeError);
}

}  // namespace
}  // namespace stkr::report::picture_test
