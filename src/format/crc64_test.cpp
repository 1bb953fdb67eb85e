#include "format/crc64.hpp"

#include <gtest/gtest.h>

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
