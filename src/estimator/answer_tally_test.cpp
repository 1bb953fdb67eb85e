#include "estimator/answer_tally.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stkr::answer_tally_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<std::string> kNames{"a", "b"};

Vector shares(double a) {
  Vector result(2);
  result << a, 1.0 - a;
  return result;
}

// A tally with this many predictions of a, of b, and without evidence.
AnswerTally tally(Index a, Index b, Index without = 0) {
  AnswerTally result;
  for (Index i = 0; i < a; ++i) result.add(Index{0});
  for (Index i = 0; i < b; ++i) result.add(Index{1});
  for (Index i = 0; i < without; ++i) result.add(Index{-1});
  return result;
}

TEST(AnswerTally, WarnsWhereMostSamplesHaveNoEvidence) {
  EXPECT_THAT(tally(20, 20, 41).warnings("samples", shares(0.5), kNames),
              ElementsAre(AllOf(HasSubstr("41 of 81 samples have no evidence"),
                                HasSubstr("most frequent class"), HasSubstr("label more"))));
  EXPECT_THAT(tally(20, 20, 40).warnings("samples", shares(0.5), kNames), IsEmpty());
}

TEST(AnswerTally, WarnsWhereNearlyAllAnswersAreOneClass) {
  EXPECT_THAT(tally(96, 4).warnings("new samples", shares(0.5), kNames),
              ElementsAre(AllOf(HasSubstr("96 of 100 new samples"), HasSubstr("predicted as a"),
                                HasSubstr("50%"), HasSubstr("class-mass"))));
  EXPECT_THAT(tally(94, 6).warnings("new samples", shares(0.5), kNames), IsEmpty());
}

TEST(AnswerTally, IsNotSurprisedByWhatTheSharesSay) {
  EXPECT_THAT(tally(96, 4).warnings("samples", shares(0.95), kNames), IsEmpty());
  EXPECT_THAT(tally(97, 3).warnings("samples", shares(0.95), kNames), IsEmpty());
  EXPECT_THAT(tally(100, 0).warnings("samples", shares(0.9), kNames), IsEmpty());
  EXPECT_THAT(tally(98, 2).warnings("samples", shares(0.85), kNames),
              ElementsAre(HasSubstr("98 of 100")));
}

TEST(AnswerTally, SaysNothingOfAHandful) {
  EXPECT_THAT(tally(9, 0).warnings("samples", shares(0.5), kNames), IsEmpty());
  EXPECT_THAT(tally(0, 0, 9).warnings("samples", shares(0.5), kNames), IsEmpty());
  EXPECT_THAT(tally(49, 0).warnings("samples", shares(0.5), kNames), IsEmpty());
  EXPECT_THAT(tally(50, 0).warnings("samples", shares(0.5), kNames), testing::SizeIs(1));
}

TEST(AnswerTally, CountsPredictionsOfClassesAndNumbers) {
  Predictions classes;
  classes.evidence = {1, 0, 1};
  classes.class_index = {0, 0, 1};
  const Decision decision = ClassDecision{kNames, shares(0.5)};
  AnswerTally of_classes;
  for (int k = 0; k < 4; ++k) of_classes.add(classes);
  EXPECT_EQ(of_classes.samples(), 12);
  EXPECT_THAT(of_classes.warnings("samples", decision), IsEmpty());
  Predictions numbers;
  numbers.evidence = {0, 0, 1};
  AnswerTally of_numbers;
  for (int k = 0; k < 4; ++k) of_numbers.add(numbers);
  EXPECT_THAT(of_numbers.warnings("samples", Decision(TargetDecision{{"y"}, Vector::Zero(1)})),
              ElementsAre(AllOf(HasSubstr("8 of 12"), HasSubstr("a constant"))));
}

}  // namespace
}  // namespace stkr::answer_tally_test
