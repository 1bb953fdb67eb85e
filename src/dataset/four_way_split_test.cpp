#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/npz.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::four_way_split_test {
namespace {

using ::stkr::testing::message_of;
using ::stkr::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

FourWaySplit of_eight() {
  return {.train = {3, 0}, .val = {7}, .test = {1, 2}, .other = {4, 5, 6}};
}

std::string complaint(const FourWaySplit& split, Index size) {
  return message_of<DataError>([&] { check_split(split, size, "split.npz"); });
}

TEST(FourWaySplit, AcceptsEverySampleOnce) {
  EXPECT_EQ(complaint(of_eight(), 8), "");
  FourWaySplit untested = of_eight();
  untested.test.swap(untested.other);
  untested.other.insert(untested.other.end(), untested.test.begin(), untested.test.end());
  untested.test.clear();
  EXPECT_EQ(complaint(untested, 8), "");
}

TEST(FourWaySplit, NamesTheSetAndTheIndexThatIsWrong) {
  EXPECT_THAT(complaint(of_eight(), 7),
              AllOf(StartsWith("split.npz: "), HasSubstr("val contains the index 7"),
                    HasSubstr("from 0 to 6")));
  FourWaySplit split = of_eight();
  split.test[0] = -1;
  EXPECT_THAT(complaint(split, 8), HasSubstr("test contains the index -1"));
  split.test[0] = 2;
  EXPECT_THAT(complaint(split, 8), HasSubstr("test contains the index 2 twice"));
  split.test[0] = 3;
  EXPECT_THAT(complaint(split, 8), HasSubstr("index 3 is in both train and test"));
  EXPECT_THAT(complaint(of_eight(), 10),
              AllOf(HasSubstr("2 of 10 samples are in no set"), HasSubstr("first is 8")));
  split = of_eight();
  split.train.clear();
  EXPECT_THAT(complaint(split, 8), HasSubstr("train is empty"));
  EXPECT_NE(complaint({}, 0), "");
}

TEST(FourWaySplit, IsReadAsWritten) {
  const TemporaryFolder folder;
  save_split(folder / "split.npz", of_eight());
  const FourWaySplit read = load_split(folder / "split.npz", 8);
  EXPECT_EQ(read.train, of_eight().train);
  EXPECT_EQ(read.val, of_eight().val);
  EXPECT_EQ(read.test, of_eight().test);
  EXPECT_EQ(read.other, of_eight().other);
  EXPECT_THROW(load_split(folder / "split.npz", 9), DataError);
}

TEST(FourWaySplit, LeavesTheRestToOther) {
  const TemporaryFolder folder;
  const std::vector<std::int32_t> train = {1, 4};  // any width
  const std::vector<std::uint8_t> val = {2};
  NpzWriter writer;
  writer.add("train", train);
  writer.add("val", val);
  writer.write(folder / "split.npz");
  const FourWaySplit split = load_split(folder / "split.npz", 6);
  EXPECT_THAT(split.train, ElementsAre(1, 4));
  EXPECT_TRUE(split.test.empty());
  EXPECT_THAT(split.other, ElementsAre(0, 3, 5));
  EXPECT_THROW(load_split(folder / "split.npz", 3), DataError);
}

TEST(FourWaySplit, SaysWhichArrayIsMissingOrOfTheWrongType) {
  const TemporaryFolder folder;
  const std::vector<double> numbers = {1.0, 4.0};
  const std::vector<double> none;
  const std::vector<std::int64_t> indices = {0, 2};
  const auto complaint_of = [&](const NpzWriter& writer) {
    writer.write(folder / "split.npz");
    return message_of<DataError>([&] { load_split(folder / "split.npz", 6); });
  };
  NpzWriter no_val;
  no_val.add("train", indices);
  EXPECT_THAT(complaint_of(no_val), AllOf(HasSubstr("no array val"), HasSubstr("found: train")));
  NpzWriter floats = no_val;
  floats.add("val", numbers);
  EXPECT_THAT(complaint_of(floats), AllOf(HasSubstr("val"), HasSubstr("<f8"),
                                          HasSubstr("expected a vector of integers")));
  NpzWriter square = no_val;
  square.add("val", std::span<const std::int64_t>(indices), {1, 2});
  EXPECT_THAT(complaint_of(square), HasSubstr("(1, 2)"));
  // numpy.array([]) has a floating-point type.
  NpzWriter untested = no_val;
  const std::vector<std::int64_t> val = {1};
  untested.add("val", val);
  untested.add("test", none);
  EXPECT_EQ(complaint_of(untested), "");
}

}  // namespace
}  // namespace stkr::four_way_split_test
