#include "grid_dimensions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stkr::grid_dimensions_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Eigenvalues 5, 4, 4, 4, 1 of eight samples; no others are positive.
KernelPca with_copies() {
  KernelPca pca;
  pca.samples = 8;
  pca.eigenvalues = (Vector(5) << 5.0, 4.0, 4.0, 4.0, 1.0).finished();
  pca.positive = 5;
  return pca;
}

TEST(GridDimensions, UsesWholeSetsOfEqualEigenvalues) {
  const std::vector<double> asked{1, 2, 3, 4, 5};
  const GridDimensions result = grid_dimensions(with_copies(), asked, /*literal=*/false);
  EXPECT_THAT(result.taken, ElementsAre(1, 4, 4, 4, 5));
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("d = 2, 3 would split")));
}

TEST(GridDimensions, SplitsThemIfAskedTo) {
  const std::vector<double> asked{2, 4};
  const GridDimensions result = grid_dimensions(with_copies(), asked, /*literal=*/true);
  EXPECT_THAT(result.taken, ElementsAre(2, 4));
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("d = 2 splits")));
}

TEST(GridDimensions, LeavesOutMoreThanThereArePositiveEigenvalues) {
  const std::vector<double> asked{5, 6};
  const GridDimensions result = grid_dimensions(with_copies(), asked, /*literal=*/false);
  EXPECT_THAT(result.taken, ElementsAre(5, 0));
  EXPECT_THAT(result.reasons, ElementsAre(IsEmpty(), HasSubstr("has 5 positive eigenvalues")));
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("d = 6 left out")));
}

// What kernel PCA says of its largest d holds unless that d was widened.
TEST(GridDimensions, PassesOnTheWarningsOfTheLargestDimension) {
  KernelPca pca = with_copies();
  pca.warnings = {"concentrated"};
  EXPECT_THAT(grid_dimensions(pca, std::vector<double>{1, 5}, false).warnings,
              ElementsAre("concentrated"));
  EXPECT_THAT(grid_dimensions(pca, std::vector<double>{1, 3}, false).warnings,
              ElementsAre(HasSubstr("d = 3 would split")));
}

}  // namespace
}  // namespace stkr::grid_dimensions_test
