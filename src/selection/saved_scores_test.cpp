#include "selection/saved_scores.hpp"

#include <gtest/gtest.h>

#include "linop/saved_state.hpp"
#include "stkr/error.hpp"

namespace stkr::saved_scores_test {

ScoredGram some_scores() {
  ScoredGram scored;
  scored.largest_eigenvalue = 0.875;
  scored.warnings = {"one class cannot be left out", "another warning"};
  ScoredPoint first;
  first.point = {.family = Family::power, .parameter = 3.0, .ridge = 0.1};
  first.score = -12.25;
  first.scale = 0.1 + 0.2;
  first.alpha = Matrix::Constant(4, 2, 1.0 / 3.0);
  first.left_out = Matrix::Constant(4, 2, -2.0);
  ScoredPoint second;
  second.point = {.family = Family::inverse_laplacian,
                  .parameter = 0.99,
                  .beta = 1e-5,
                  .iterations = 7,
                  .class_mass = true,
                  .kernel = 2};
  second.left_out = Matrix::Constant(4, 2, 1e-300);  // without α, as for numbers
  scored.points = {first, second};
  return scored;
}

TEST(SavedScores, AreReadWithTheSameBits) {
  const ScoredGram scored = some_scores();
  const ScoredGram read = scored_gram_of(blocks_of(scored), "scores 1");
  EXPECT_EQ(read.largest_eigenvalue, scored.largest_eigenvalue);
  EXPECT_EQ(read.warnings, scored.warnings);
  ASSERT_EQ(read.points.size(), scored.points.size());
  for (std::size_t k = 0; k < read.points.size(); ++k) {
    EXPECT_EQ(read.points[k].point, scored.points[k].point);
    EXPECT_EQ(read.points[k].score, scored.points[k].score);
    EXPECT_EQ(read.points[k].scale, scored.points[k].scale);
    EXPECT_EQ(read.points[k].alpha, scored.points[k].alpha);
    EXPECT_EQ(read.points[k].left_out, scored.points[k].left_out);
  }
  ScoredGram quiet = scored;
  quiet.warnings.clear();
  EXPECT_TRUE(scored_gram_of(blocks_of(quiet), "scores 1").warnings.empty());
}

TEST(SavedScores, OtherBlocksAreRefused) {
  std::vector<Matrix> blocks = blocks_of(some_scores());
  blocks.pop_back();
  EXPECT_THROW(scored_gram_of(blocks, "scores 1"), DataError);
  EXPECT_THROW(scored_gram_of({}, "scores 1"), DataError);
  EXPECT_THROW(scored_gram_of({Matrix::Ones(1, 1), text_block(""), Matrix::Ones(2, 3), Matrix()},
                              "scores 1"),
               DataError);
}

}  // namespace stkr::saved_scores_test
