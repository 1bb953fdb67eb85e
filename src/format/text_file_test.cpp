#include "text_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::detail::text_file_test {
namespace {

using namespace std::string_literals;
using stkr::testing::message_of;
using stkr::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> lines_of(LineReader& reader) {
  std::vector<std::string> lines;
  while (reader.next()) lines.emplace_back(reader.line());
  return lines;
}

TEST(TextFile, IsReadLineByLine) {
  const TemporaryFolder folder;
  LineReader reader(folder.write("a.txt", "\xef\xbb\xbfone\r\n\nthree"));
  EXPECT_THAT(lines_of(reader), ElementsAre("one", "", "three"));
  EXPECT_EQ(reader.number(), 3u);
  EXPECT_THAT(message_of<DataError>([&] { LineReader(folder.write("b.txt", "")); }),
              HasSubstr("is empty"));
  EXPECT_THAT(message_of<DataError>([&] { LineReader(folder / "absent.txt"); }),
              HasSubstr("cannot be opened"));
}

TEST(TextFile, IsSplitIntoNoMoreWordsThanAskedFor) {
  EXPECT_THAT(split_words(" a\tb  c\r"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split_words("a b c d", 2), ElementsAre("a", "b"));
}

// Wherever it stands: a name may move to the start of the file when it is written again.
TEST(TextFile, HasNoZeroByte) {
  const TemporaryFolder folder;
  for (const std::size_t lines : {0, 1, 100'000}) {
    std::string text;
    for (std::size_t k = 0; k < lines; ++k) text += "1,2,3\n";
    LineReader reader(folder.write("a.csv", text + "4,\0,5\n6"s));
    EXPECT_THAT(message_of<DataError>([&] { lines_of(reader); }),
                AllOf(HasSubstr("a.csv: line " + std::to_string(lines + 1) + ": "),
                      HasSubstr("zero byte, expected text"), HasSubstr("iconv -f utf-16")));
  }
  LineReader reader(folder.write("b.csv", "\x01\x1b\x7f\n"));
  EXPECT_THAT(lines_of(reader), ElementsAre("\x01\x1b\x7f"));
}

// Longer than the buffer, so that the end is not yet read when the file changes.
TEST(TextFile, ThatChangesWhileItIsReadIsNoticed) {
  const TemporaryFolder folder;
  std::string text;
  while (text.size() < 1'000'000) text += "1,2,3\n";
  {
    LineReader reader(folder.write("shorter.csv", text));
    ASSERT_TRUE(reader.next());
    std::filesystem::resize_file(folder / "shorter.csv", 600'000);
    EXPECT_THAT(message_of<DataError>([&] { lines_of(reader); }),
                AllOf(HasSubstr("shorter.csv: changed while it was read"),
                      HasSubstr("from 1000002 bytes to 600000")));
  }
  LineReader reader(folder.write("longer.csv", text));
  ASSERT_TRUE(reader.next());
  std::ofstream(folder / "longer.csv", std::ios::app) << "4,5,6\n";
  EXPECT_THAT(message_of<DataError>([&] { lines_of(reader); }), HasSubstr("changed while"));
  LineReader same(folder.write("same.csv", text));
  EXPECT_EQ(lines_of(same).size(), text.size() / 6);
}

}  // namespace
}  // namespace stkr::detail::text_file_test
