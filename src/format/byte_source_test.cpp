#include "byte_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "gzip_text.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::detail::byte_source_test {
namespace {

using stkr::testing::gzip;
using stkr::testing::message_of;
using stkr::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string content(const std::filesystem::path& path, std::size_t at_a_time) {
  ByteSource source(path);
  std::string all, part(at_a_time, '\0');
  for (std::size_t count = at_a_time; count == at_a_time;) {
    count = source.read(part.data(), part.size());
    all.append(part, 0, count);
  }
  return all;
}

std::string long_text() {
  std::string text;
  for (int i = 0; text.size() < 400'000; ++i) text += std::to_string(i * 7919 % 100'003) + "\n";
  return text;
}

TEST(ByteSource, ReadsPlainAndCompressedFilesAlike) {
  const TemporaryFolder folder;
  for (const std::string& text : {std::string("a"), std::string("a b\nb c\n"), long_text()}) {
    const auto plain = folder.write("plain", text);
    const auto packed = folder.write("packed", gzip(text));
    const auto members = folder.write("members", gzip(text) + gzip(text));
    for (const std::size_t at_a_time : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20}) {
      if (at_a_time == 1 && text.size() > 100) continue;
      EXPECT_EQ(content(plain, at_a_time), text);
      EXPECT_EQ(content(packed, at_a_time), text);
      EXPECT_EQ(content(members, at_a_time), text + text);
    }
    EXPECT_EQ(content_size(plain), static_cast<Index>(text.size()));
    EXPECT_EQ(content_size(packed), static_cast<Index>(text.size()));
    EXPECT_EQ(content_size(members), static_cast<Index>(2 * text.size()));
  }
  EXPECT_TRUE(ByteSource(folder.write("packed", gzip("a"))).compressed());
  EXPECT_EQ(content(folder.write("packed", gzip("")), 10), "");
}

TEST(ByteSource, SaysThatCompressedDataIsTruncatedOrDamaged) {
  const TemporaryFolder folder;
  const std::string packed = gzip(long_text());
  for (const std::size_t kept :
       {std::size_t{2}, std::size_t{12}, packed.size() / 2, packed.size() - 1}) {
    const auto path = folder.write("short.gz", packed.substr(0, kept));
    EXPECT_THAT(message_of<DataError>([&] { content(path, 1000); }),
                AllOf(HasSubstr("short.gz"), HasSubstr("truncated")));
    EXPECT_THAT(message_of<DataError>([&] { content_size(path); }), HasSubstr("truncated"));
  }
  std::string damaged = packed;
  damaged[damaged.size() - 6] ^= 1;  // of the checksum
  EXPECT_THAT(message_of<DataError>([&] { content(folder.write("bad.gz", damaged), 1000); }),
              HasSubstr("damaged"));
  const auto garbage = folder.write("bad.gz", packed + "garbage");
  EXPECT_THAT(message_of<DataError>([&] { content(garbage, 1000); }), HasSubstr("damaged"));
}

TEST(ByteSource, NeedsAFileWithContent) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of<DataError>([&] { ByteSource(folder / "absent"); }),
              HasSubstr("cannot be opened"));
  EXPECT_THAT(message_of<DataError>([&] { ByteSource(folder.write("empty", "")); }),
              HasSubstr("is empty"));
}

}  // namespace
}  // namespace stkr::detail::byte_source_test
