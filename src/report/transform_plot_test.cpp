#include "report/transform_plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stkr/error.hpp"
#include "transform/transform_text.hpp"

namespace stkr::report::transform_plot_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(TransformPlot, ShowsSWithItsTermsAndM) {
  const std::string svg = plot_transform(
      transform_from_text("0.1*inverse-laplacian(0.9) + 0.5*power(2) + 0.4*smooth-step(0.7, 16)"),
      1.0);
  EXPECT_THAT(svg, HasSubstr("<svg"));
  EXPECT_THAT(svg, HasSubstr("0.1*inverse-laplacian(0.9)"));
  EXPECT_THAT(svg, HasSubstr("0.4*smooth-step(0.7, 16)"));
  EXPECT_THAT(svg, HasSubstr("stroke-dasharray"));
  // M = 0.1·10 + 0.5 + 0.4 s_3(1) up to λ = 1
  EXPECT_THAT(svg, HasSubstr("a sum of transforms, M = 1.899"));
}

TEST(TransformPlot, ShowsATransformAlone) {
  const std::string svg = plot_transform(SpectralTransform::inverse_laplacian(0.99), 1.0);
  EXPECT_THAT(svg, HasSubstr("s = inverse-laplacian eta=0.99, M = 100"));
  EXPECT_THAT(svg, Not(HasSubstr("stroke-dasharray")));
}

TEST(TransformPlot, ShowsTheTransformsOfAnAverage) {
  const std::string svg = plot_average({{SpectralTransform::poisson(), {{0.1, 1.0}}, {}},
                                        {SpectralTransform::power(2), {{1.0, 2.0}}, {}}},
                                       1.0);
  EXPECT_THAT(svg, HasSubstr("average of fits with 2 transforms"));
  EXPECT_THAT(svg, HasSubstr("power(2), M = 1"));
  EXPECT_THAT(svg, HasSubstr("poisson(1), M = "));
  EXPECT_THAT(svg, Not(HasSubstr("stroke-dasharray")));
}

TEST(TransformPlot, RefusesWhatItCannotPlot) {
  EXPECT_THROW(plot_transform(SpectralTransform::power(2), 0.0), ValueError);
  EXPECT_THROW(plot_transform(SpectralTransform::inverse_laplacian(1.0), 1.0), ValueError);
}

}  // namespace
}  // namespace stkr::report::transform_plot_test
