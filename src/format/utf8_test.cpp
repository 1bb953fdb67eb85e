#include "format/utf8.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::utf8_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;

TEST(Utf8, IsTheShortestFormOfCharacters) {
  for (const char* text :
       {"", "plain", "männlich", "日本", "\xf0\x9f\x99\x82", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
  for (const char* text : {
           "m\xe4nnlich",          // Latin-1
           "\xc3",                 // truncated
           "\xe6\x97",             // truncated
           "\x80",                 // stray continuation byte
           "\xc0\xaf",             // overlong
           "\xe0\x80\xaf",         // overlong
           "\xf0\x80\x80\xaf",     // overlong
           "\xed\xa0\x80",         // a surrogate
           "\xf4\x90\x80\x80",     // beyond Unicode
           "\xff\xfe",             // a UTF-16 byte order mark
           "\xf8\x88\x80\x80\x80"  // five bytes
       }) {
    EXPECT_FALSE(is_utf8(text)) << printable(text);
  }
}

TEST(Utf8, IsPrintedWithoutCommands) {
  EXPECT_EQ(printable("a ü 日 \\"), "a ü 日 \\");
  EXPECT_EQ(printable("\x1b[31mred\x1b[0m"), "\\x1b[31mred\\x1b[0m");
  EXPECT_EQ(printable("two\nlines\tand\r"), "two\\nlines\\tand\\x0d");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m\x7f"),
            "\\xc2\\x9b31m\\x7f");
  EXPECT_EQ(printable("m\xe4nnlich"), "m\\xe4nnlich");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Utf8, IsAskedOfNames) {
  EXPECT_NO_THROW(check_name("männlich", "a.csv: line 2"));
  EXPECT_THAT(message_of<DataError>([] { check_name("m\xe4nnlich", "a.csv: line 2"); }),
              AllOf(HasSubstr("a.csv: line 2: 'm\\xe4nnlich' is not UTF-8"), HasSubstr("iconv")));
}

}  // namespace
}  // namespace stkr::utf8_test
