#include "stkr/reproduction/checkpoint.hpp"

#include <gtest/gtest.h>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr {
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

TEST(Checkpoint, PassesOverLinesThatAreNoCells) {
  const TemporaryFolder folder;
  const auto path = folder.write("cells.jsonl", R"({"stkr_cell":1,"run":"v1","key":"a","value":1})"
                                                "\nnonsense\n\n[1,2]\n"
                                                R"({"stkr_cell":1,"run":1,"key":"b","value":1})"
                                                "\n"
                                                R"({"stkr_cell":1,"run":"v1","key":7,"value":1})"
                                                "\n");
  const Checkpoint cells(path, "v1");
  EXPECT_EQ(cells.size(), 1u);
  EXPECT_EQ(cells.find("a"), "1");
}

TEST(Checkpoint, RefusesAFileOfAnotherKind) {
  const TemporaryFolder folder;
  const auto path = folder.write("data.csv", "x,y\n1,2\n");
  EXPECT_THROW(Checkpoint(path, "v1"), DataError);
  EXPECT_EQ(content_of(path), "x,y\n1,2\n");
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
  cells.store("a", "1");  // once there is room again
  EXPECT_EQ(Checkpoint(folder / "cells.jsonl", "v1").find("a"), "1");
}

}  // namespace
}  // namespace stkr
