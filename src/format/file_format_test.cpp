#include "file_format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gzip_text.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::file_format_test {
namespace {

using testing::gzip;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

TEST(FileFormat, IsDetectedByContentOrExtension) {
  const TemporaryFolder folder;
  const auto detect = [&](const char* name, const std::string& text) {
    return detect_format(folder.write(name, text));
  };
  EXPECT_EQ(detect("a.tsv", "a b\n"), FileFormat::edge_list);
  EXPECT_EQ(detect("a.CSV", "a,b\n"), FileFormat::csv);
  EXPECT_EQ(detect("a.txt", "%%MatrixMarket matrix"), FileFormat::matrix_market);
  EXPECT_EQ(detect("a.xml", "<?xml version='1.0'?>\n<!-- igraph -->\n<graphml xmlns='...'>"),
            FileFormat::graphml);
  EXPECT_EQ(detect("a.graphml", "<graphml>"), FileFormat::graphml);
}

TEST(FileFormat, IsDetectedThroughGzip) {
  const TemporaryFolder folder;
  const auto detect = [&](const char* name, const std::string& text) {
    return detect_format(folder.write(name, gzip(text)));
  };
  EXPECT_EQ(detect("a.tsv.gz", "a b\n"), FileFormat::edge_list);
  EXPECT_EQ(detect("a.csv.GZ", "a,b\n"), FileFormat::csv);
  EXPECT_EQ(detect("a.csv", "a,b\n"), FileFormat::csv);  // by content, not by name
  EXPECT_EQ(detect("a.gz", "<graphml>"), FileFormat::graphml);
  EXPECT_EQ(detect("a.mtx.gz", "%%MatrixMarket matrix"), FileFormat::matrix_market);
  EXPECT_THAT(message_of<DataError>([&] { detect("a.npy.gz", "\x93NUMPY"); }),
              HasSubstr("decompress it first"));
  EXPECT_THAT(message_of<DataError>([&] { detect("a.gz", "a b\n"); }),
              HasSubstr("unknown extension"));
  EXPECT_EQ(without_gz("b/a.tsv.gz"), "b/a.tsv");
  EXPECT_EQ(without_gz("a.tsv"), "a.tsv");
}

TEST(FileFormat, NamesARemedyForOtherFormats) {
  const TemporaryFolder folder;
  const auto refusal = [&](const char* name, const std::string& text) {
    return message_of<DataError>([&] { detect_format(folder.write(name, text)); });
  };
  EXPECT_THAT(refusal("a.gml", "graph [\n"), HasSubstr("networkx.write_graphml"));
  EXPECT_THAT(refusal("a.gexf", "<?xml version='1.0'?><gexf>"), HasSubstr("GEXF"));
  EXPECT_THAT(refusal("a.parquet", "PAR1"), HasSubstr("Parquet"));
  EXPECT_THAT(message_of<ValueError>([] { format_for_writing("a.tsv.gz"); }),
              HasSubstr("writes no compressed files; write a.tsv"));
}

}  // namespace
}  // namespace stkr::file_format_test
