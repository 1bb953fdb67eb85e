#include "reproduction/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint_line.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::checkpoint_test {
namespace {

using ::stkr::testing::content_of;
using ::stkr::testing::FullDisk;
using ::stkr::testing::TemporaryFolder;

TEST(Checkpoint, FindsWhatWasStored) {
  const TemporaryFolder folder;
  const auto path = folder / "cells.jsonl";
  {
    Checkpoint cells(path, "v1");
    EXPECT_FALSE(cells.find("photo/1"));
    cells.store("photo/1", R"({"accuracy": 0.84,
                               "note": "a\nb"})");
    cells.store("photo/2", "[1, null]");
    cells.store("photo/2", "[2]");
    EXPECT_EQ(cells.find("photo/2"), "[2]");
  }
  const Checkpoint again(path, "v1");
  EXPECT_EQ(again.size(), 2u);
  EXPECT_EQ(again.find("photo/1"), R"({"accuracy":0.84,"note":"a\nb"})");
  EXPECT_EQ(again.find("photo/2"), "[2]");
  EXPECT_FALSE(again.find("photo/3"));
}

TEST(Checkpoint, KeepsRunsApart) {
  const TemporaryFolder folder;
  const auto path = folder / "cells.jsonl";
  Checkpoint first(path, "v1");
  Checkpoint second(path, "v2");  // at once
  first.store("a", "1");
  second.store("a", "2");
  first.store("b", "3");
  EXPECT_EQ(Checkpoint(path, "v1").find("a"), "1");
  EXPECT_EQ(Checkpoint(path, "v1").find("b"), "3");
  EXPECT_EQ(Checkpoint(path, "v2").find("a"), "2");
  EXPECT_FALSE(Checkpoint(path, "v2").find("b"));
  EXPECT_EQ(Checkpoint(path, "v3").size(), 0u);
}

// A process killed at any moment leaves a prefix of what it wrote.
TEST(Checkpoint, SurvivesATornLine) {
  const TemporaryFolder folder;
  const auto path = folder / "cells.jsonl";
  {
    Checkpoint cells(path, "v1");
    cells.store("a", R"({"x":1})");
  }
  const std::string one = content_of(path);
  {
    Checkpoint cells(path, "v1");
    cells.store("b", R"({"x":2})");
  }
  const std::string two = content_of(path);
  for (std::size_t length = 0; length < two.size(); ++length) {
    folder.write("cells.jsonl", two.substr(0, length));
    {
      Checkpoint cells(path, "v1");
      EXPECT_EQ(cells.find("a").has_value(), length >= one.size()) << length;
      EXPECT_FALSE(cells.find("b")) << length;
      cells.store("c", "3");
    }
    const Checkpoint again(path, "v1");
    EXPECT_EQ(again.find("c"), "3") << length;
    EXPECT_EQ(content_of(path).substr(0, length), two.substr(0, length));
  }
}

TEST(Checkpoint, TakesKeysThatAreNotUtf8) {
  const TemporaryFolder folder;
  Checkpoint cells(folder / "cells.jsonl", "run \xff");
  cells.store("key \xff", "1");
  EXPECT_EQ(cells.find("key \xff"), "1");
  EXPECT_EQ(Checkpoint(folder / "cells.jsonl", "run \xff").find("key \xff"), "1");
}

// The checksum ensures that a result is either as stored or not found.
TEST(Checkpoint, NeverTakesAFlippedBit) {
  const TemporaryFolder folder;
  const auto path = folder / "cells.jsonl";
  const std::vector<std::pair<std::string, std::string>> stored{
      {"a", R"({"validation":0.716})"}, {"b", "[1,2]"}, {"c", R"("0.84")"}};
  {
    Checkpoint cells(path, "v1");
    for (const auto& [key, value] : stored) cells.store(key, value);
  }
  const std::string whole = content_of(path);
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    folder.write("cells.jsonl", flipped);
    try {
      const Checkpoint cells(path, "v1");
      EXPECT_LT(cells.size(), stored.size()) << bit;
      EXPECT_FALSE(cells.warnings().empty()) << bit;
      for (const auto& [key, value] : stored) EXPECT_EQ(cells.find(key).value_or(value), value);
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("cells.jsonl")) << bit;
    }
  }
}

std::string sealed(const std::string& value) {
  return detail::checkpoint_line({"v1", "b", value}) + "\n";
}

TEST(Checkpoint, NamesTheLinesItPassesOver) {
  const std::string good = detail::checkpoint_line({"v1", "a", "1"}) + "\n";
  const std::string old = R"({"stkr_cell":1,"run":"v1","key":"b","value":1})"
                          "\n";
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  for (const std::string& bad :
       {old, std::string("nonsense\n"), std::string("[1,2]\n"), good.substr(0, 30) + "\n",
        std::string(
            R"({"stkr_cell":2,"crc64":"0000000000000000","run":"v1","key":"b","value":1})") +
            "\n",
        sealed(deep), sealed(std::string(50'000, '[')), sealed("NaN"), sealed("1e999"), sealed(""),
        sealed("\"\xff\""), sealed("1,\"key\":7"), sealed("1,\"run\":null"),
        std::string(detail::kMostLineBytes + 5, 'x') + "\n"}) {
    const TemporaryFolder folder;
    const auto path = folder.write("cells.jsonl", good + "\n" + bad + good);
    const Checkpoint cells(path, "v1");
    EXPECT_EQ(cells.size(), 1u);
    EXPECT_EQ(cells.find("a"), "1");
    EXPECT_EQ(cells.where("a"), path.string() + ": line 4");
    ASSERT_EQ(cells.warnings().size(), 1u) << bad.substr(0, 100);
    EXPECT_THAT(cells.warnings()[0], ::testing::HasSubstr(path.string() + ": line 3 "));
  }
}

TEST(Checkpoint, KeepsWarningsFew) {
  const TemporaryFolder folder;
  std::string lines = detail::checkpoint_line({"v1", "a", "1"}) + "\n";
  for (int i = 0; i < 1000; ++i) lines += "x\n";
  const Checkpoint cells(folder.write("cells.jsonl", lines), "v1");
  ASSERT_EQ(cells.warnings().size(), 11u);
  EXPECT_THAT(cells.warnings().back(), ::testing::HasSubstr("990 more"));
}

TEST(Checkpoint, StoresNothingThatCannotBeReadBack) {
  const TemporaryFolder folder;
  Checkpoint cells(folder / "cells.jsonl", "v1");
  EXPECT_THROW(cells.store("a", std::string(100'000, '[') + std::string(100'000, ']')), ValueError);
  EXPECT_EQ(content_of(folder / "cells.jsonl"), "");
}

TEST(Checkpoint, RefusesAFileOfAnotherKind) {
  const TemporaryFolder folder;
  const auto path = folder.write("data.csv", "x,y\n1,2\n");
  EXPECT_THROW(Checkpoint(path, "v1"), DataError);
  EXPECT_EQ(content_of(path), "x,y\n1,2\n");
  EXPECT_THROW(Checkpoint(folder.write("blank.txt", "\nx\n"), "v1"), DataError);
}

TEST(Checkpoint, SaysThatItCannotWrite) {
  const TemporaryFolder folder;
  EXPECT_THROW(Checkpoint(folder / "", "v1"), WriteError);
  EXPECT_THROW(Checkpoint(folder / "missing/cells.jsonl", "v1"), WriteError);
  EXPECT_THROW(Checkpoint("/dev/null", "v1"), WriteError);
  Checkpoint cells(folder / "cells.jsonl", "v1");
  EXPECT_THROW(cells.store("a", "{"), ValueError);
  {
    const FullDisk full(20);
    EXPECT_THROW(cells.store("a", "1"), WriteError);
    EXPECT_FALSE(cells.find("a"));
  }
  cells.store("a", "1");  // when there is space again
  EXPECT_EQ(Checkpoint(folder / "cells.jsonl", "v1").find("a"), "1");
}

}  // namespace
}  // namespace stkr::checkpoint_test
