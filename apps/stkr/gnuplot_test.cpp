#include "gnuplot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::app {
namespace {

using ::stkr::testing::message_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Gnuplot, QuotesTextSoThatItMeansItself) {
  EXPECT_EQ(gnuplot_text("it's"), "\"it's\"");
  EXPECT_EQ(gnuplot_text("a\nb\t\x7f\\`\""), R"("a b  \134\140\042")");
  EXPECT_EQ(gnuplot_text("\xff β"), "\"\xef\xbf\xbd β\"");
  EXPECT_EQ(gnuplot_tick("50%"), "\"50%%\"");
  EXPECT_EQ(gnuplot_number(0.1), "0.1");
  EXPECT_EQ(gnuplot_number(INFINITY), "NaN");
}

TEST(Gnuplot, SaysWhatToInstallWhereItIsMissing) {
  const std::string path = std::getenv("PATH");
  const stkr::testing::TemporaryFolder empty;
  ::setenv("PATH", (empty / "").c_str(), 1);
  EXPECT_FALSE(gnuplot_available());
  EXPECT_THAT(message_of<WriteError>([] { run_gnuplot("plot x\n"); }),
              HasSubstr("apt-get install gnuplot-nox"));
  ::setenv("PATH", path.c_str(), 1);
}

TEST(Gnuplot, GivesItsOutputOrItsWords) {
  if (!gnuplot_available()) GTEST_SKIP() << "gnuplot is not installed";
  // More than a pipe holds, in both directions: neither process may wait for the other.
  std::string script = "set print '-'\n";
  for (int i = 0; i < 20000; ++i) script += "print 'line of text'\n";
  EXPECT_EQ(run_gnuplot(script).size(), 20000u * 13u);
  EXPECT_THAT(message_of<WriteError>([] { run_gnuplot("plot nonsense(\n"); }),
              AllOf(HasSubstr("gnuplot failed"), HasSubstr("plot nonsense(")));
  // It ends before it has read the whole script.
  EXPECT_EQ(run_gnuplot("exit\n" + script), "");
}

TEST(Gnuplot, TakesNoOrdersFromText) {
  if (!gnuplot_available()) GTEST_SKIP() << "gnuplot is not installed";
  for (const char* text :
       {"'; print 'pwned", "\"; print \"pwned", "`echo pwned`", "\\", "'", "\"", "''", "\\\"", "@x",
        "\"\n!echo pwned\n", "\".system('echo pwned').\"", "$x", "#", "\\140", "a\\"}) {
    std::string shown = text;
    for (char& c : shown) c = c == '\n' ? ' ' : c;
    EXPECT_EQ(run_gnuplot("set print '-'\nprint " + gnuplot_text(text) + "\n"), shown + "\n");
  }
}

}  // namespace
}  // namespace stkr::app
