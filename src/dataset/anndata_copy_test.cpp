#include "dataset/anndata_copy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "dataset/anndata.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::anndata_copy_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

std::filesystem::path original() {
  return std::filesystem::path(__FILE__).parent_path() / "../../tests/files/cells.h5ad";
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<ObsColumn> columns(std::int32_t first_code) {
  std::vector<std::int32_t> codes(12, -1);
  codes[0] = first_code;
  std::vector<double> numbers(12, std::nan(""));
  numbers[11] = 0.25;
  std::vector<char> flags(12, 0);
  flags[1] = 1;
  return {{"kind", CategoricalColumn{{"x", "ü"}, codes}}, {"share", numbers}, {"known", flags}};
}

TEST(AnnDataCopy, HasTheColumnsThatAreAdded) {
  const TemporaryFolder folder;
  const std::string before = bytes_of(original());
  copy_anndata(original(), folder / "copy.h5ad", columns(1));
  EXPECT_EQ(bytes_of(original()), before);
  const AnnDataFile copy(folder / "copy.h5ad");
  EXPECT_THAT(copy.columns(), ElementsAre("cell_type", "text", "number", "counts", "flag", "truth",
                                          "kind", "share", "known"));
  EXPECT_EQ(copy.column("kind")[0], "ü");
  EXPECT_EQ(copy.column("kind")[1], "");
  EXPECT_EQ(copy.column("share")[11], "0.25");
  EXPECT_EQ(copy.column("known")[1], "True");
  EXPECT_EQ(copy.names(), AnnDataFile(original()).names());
}

TEST(AnnDataCopy, ReplacesColumnsOfTheSameName) {
  const TemporaryFolder folder;
  copy_anndata(original(), folder / "a.h5ad", columns(1));
  copy_anndata(folder / "a.h5ad", folder / "b.h5ad", columns(0));
  EXPECT_EQ(AnnDataFile(folder / "b.h5ad").column("kind")[0], "x");
  EXPECT_EQ(AnnDataFile(folder / "b.h5ad").columns().size(), 9u);
}

TEST(AnnDataCopy, NeedsAValueForEveryCellAndAPlaceToWrite) {
  const TemporaryFolder folder;
  const std::vector<ObsColumn> few{{"share", std::vector<double>(3, 1.0)}};
  EXPECT_THAT(message_of<DataError>([&] { copy_anndata(original(), folder / "c.h5ad", few); }),
              HasSubstr("has 12 cells, but there are 3 predictions"));
  EXPECT_FALSE(std::filesystem::exists(folder / "c.h5ad"));
  EXPECT_NE(message_of<WriteError>(
                [&] { copy_anndata(original(), folder / "absent" / "c.h5ad", columns(0)); }),
            "");
}

}  // namespace
}  // namespace stkr::anndata_copy_test
