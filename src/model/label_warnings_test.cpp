#include "model/label_warnings.hpp"

#include <gtest/gtest.h>

#include "stkr/model/fit_model.hpp"

namespace stkr::label_warnings_test {
namespace {

Dataset twins(std::vector<std::int32_t> code) {
  Matrix x(6, 2);
  x << 0, 0, 0, 0, 1, 1, 1, 1, 2, 0, 5, 5;
  Dataset dataset;
  dataset.samples = Points{x, {}};
  dataset.labels = ClassLabels{{"a", "b"}, std::move(code)};
  return dataset;
}

TEST(LabelWarnings, NameEqualPointsOfDifferentClasses) {
  const std::vector<std::string> found = label_warnings(twins({0, 1, 0, 0, -1, 1}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(
      found[0].rfind("1 labeled sample equals another one of a different class (samples 0 and "
                     "1 are a and b)",
                     0),
      0U)
      << found[0];
  EXPECT_TRUE(label_warnings(twins({0, 0, 1, -1, -1, 1})).empty());
}

TEST(LabelWarnings, ComeWithAFit) {
  Dataset dataset = twins({0, 1, 0, 0, -1, 1});
  const std::vector<std::string> expected = label_warnings(dataset);
  EXPECT_EQ(fit_model(dataset, {}).summary.warnings.at(0), expected.at(0));
}

}  // namespace
}  // namespace stkr::label_warnings_test
