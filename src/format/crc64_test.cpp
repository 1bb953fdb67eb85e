#include "format/crc64.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace stkr::crc64_test {
namespace {

std::uint64_t crc_of(const std::string& text) {
  Crc64 crc;
  crc.update(std::as_bytes(std::span(text)));
  return crc.value();
}

TEST(Crc64, GivesThePublishedCheckValue) {
  EXPECT_EQ(crc_of("123456789"), 0x995DC9BBDF1939FAu);
  EXPECT_EQ(crc_of(""), 0u);
}

TEST(Crc64, DoesNotDependOnHowTheBytesArrive) {
  const std::string text = "any text that is longer than two steps of eight bytes";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Crc64 crc;
    crc.update(std::as_bytes(std::span(text).first(cut)));
    crc.update(std::as_bytes(std::span(text).subspan(cut)));
    EXPECT_EQ(crc.value(), crc_of(text)) << cut;
  }
}

// Many bytes are split among threads.
TEST(Crc64, OfManyBytesIsThatOfTheirParts) {
  std::string text(9'000'001, ' ');
  std::uint32_t state = 7;
  for (char& letter : text)
    letter = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  Crc64 crc;
  for (std::size_t at = 0; at < text.size(); at += 100'003) {
    crc.update(std::as_bytes(
        std::span(text).subspan(at).first(std::min<std::size_t>(100'003, text.size() - at))));
  }
  EXPECT_EQ(crc.value(), crc_of(text));
}

TEST(Crc64, AppendsBytesOfWhichOnlyTheChecksumIsKnown) {
  const std::string text = "any text that is longer than two steps of eight bytes";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Crc64 crc;
    crc.update(std::as_bytes(std::span(text).first(cut)));
    crc.append(crc_of(text.substr(cut)), text.size() - cut);
    EXPECT_EQ(crc.value(), crc_of(text)) << cut;
  }
}

}  // namespace
}  // namespace stkr::crc64_test
