#include "transform/transform_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::transform_text_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

TEST(TransformText, IsReadAsItIsWritten) {
  const double third = 1.0 / 3.0;
  for (const SpectralTransform& transform :
       {SpectralTransform::power(2.5), SpectralTransform::polynomial({1.0, -0.5, third}),
        SpectralTransform::inverse_laplacian(third), SpectralTransform::reciprocal({1.0, -0.25}, 2),
        SpectralTransform::diffusion(1e-7), SpectralTransform::truncation(12),
        SpectralTransform::smooth_step(0.7, 8),
        SpectralTransform::sum({{0.4, SpectralTransform::inverse_laplacian(0.99)},
                                {third, SpectralTransform::power(2)},
                                {1.0, SpectralTransform::smooth_step(0.5)}}),
        SpectralTransform::sum({{1e-20, SpectralTransform::power(1)}})}) {
    const std::string text = to_text(transform);
    SCOPED_TRACE(text);
    const SpectralTransform again = transform_from_text(text);
    EXPECT_EQ(again.form().index(), transform.form().index());
    EXPECT_EQ(to_text(again), text);
    for (const double x : {0.0, 0.3, 1.0}) EXPECT_EQ(again(x), transform(x));
  }
}

TEST(TransformText, ReadsWhatPeopleWrite) {
  const auto as = [](const char* text) { return to_text(transform_from_text(text)); };
  EXPECT_EQ(as("0.4*inverse-laplacian(0.99) + 0.6*power(2)"),
            "0.4*inverse-laplacian(0.99) + 0.6*power(2)");
  EXPECT_EQ(as(" .5 * inverse_laplacian( 9e-1 )+power(2)"),
            "0.5*inverse-laplacian(0.9) + power(2)");
  EXPECT_EQ(as("1e+2*power(1)+2e-3*polynomial(-1,2)"), "100*power(1) + 0.002*polynomial(-1, 2)");
  EXPECT_EQ(as("smooth-step(0.5)"), "smooth-step(0.5, 4)");
  EXPECT_EQ(as("1*power(3)"), "power(3)");
  EXPECT_TRUE(is_transform_text("power(2)"));
  EXPECT_FALSE(is_transform_text("inverse-laplacian"));
}

TEST(TransformText, SaysWhereItIsWrong) {
  const auto error = [](const char* text) {
    return message_of<ValueError>([&] { transform_from_text(text); });
  };
  EXPECT_THAT(error(""), HasSubstr("found the end at character 1; expected the name"));
  EXPECT_THAT(error("power"), HasSubstr("expected '(' and the parameters of power"));
  EXPECT_THAT(error("power()"), HasSubstr("found ')' at character 7; expected a number"));
  EXPECT_THAT(error("power(2"), HasSubstr("found the end at character 8; expected ',' or ')'"));
  EXPECT_THAT(error("power(2) - power(1)"), HasSubstr("expected '+' or the end"));
  EXPECT_THAT(error("2 power(2)"), HasSubstr("expected '*' after the weight"));
  EXPECT_THAT(error("power(2) +"), HasSubstr("expected the name of a transform"));
  EXPECT_THAT(error("power(nan)"), HasSubstr("expected a number"));
  EXPECT_THAT(error("power(1e999)"), HasSubstr("expected a number"));
  EXPECT_THAT(error("power(1, 2)"), HasSubstr("2 numbers in power(...); expected power(p)"));
  EXPECT_THAT(error("reciprocal(1.5, 1)"), HasSubstr("found 1.5; expected a whole number"));
  EXPECT_THAT(error("sine(2)"), HasSubstr("'sine' is unknown; expected power, "));
  EXPECT_THAT(error("-1*power(2) + power(1)"), HasSubstr("weight -1 of power p=2"));
  EXPECT_THAT(error("power(2) + truncation(3)"), HasSubstr("use a smooth step instead"));
  EXPECT_THAT(error("power(0.5)"), HasSubstr("expected p >= 1"));
}

TEST(TransformText, ReadsAveragesThatItWrites) {
  const std::string text = "0.7*poisson(1)@0.01 + 0.3*power(2)@0.1";
  const std::vector<WrittenFit> fits = average_from_text(text);
  ASSERT_EQ(fits.size(), 2U);
  EXPECT_EQ(fits[0].weight, 0.7);
  EXPECT_EQ(fits[0].transform.describe(), "poisson eta=1");
  EXPECT_EQ(fits[1].ridge, 0.1);
  EXPECT_EQ(to_text(fits), text);
  EXPECT_TRUE(is_average_text(text) && is_transform_text(text));
  EXPECT_THROW(average_from_text("0.7*poisson(1)@0.01 + power(2)"), ValueError);
  EXPECT_THROW(average_from_text("power(2)@x"), ValueError);
  EXPECT_THROW(transform_from_text(text), ValueError);
  EXPECT_THROW(transform_from_text("0.5*poisson(1) + 0.5*power(2)"), ValueError);
}

}  // namespace
}  // namespace stkr::transform_text_test
