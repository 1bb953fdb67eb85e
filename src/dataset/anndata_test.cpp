#include "dataset/anndata.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/point_stream.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::anndata_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

// Files of tests/files/make_cells.py: twelve cells, in the encodings of anndata 0.8 and 0.7.
std::filesystem::path cells(const char* name = "cells.h5ad") {
  return std::filesystem::path(__FILE__).parent_path() / "../../tests/files" / name;
}

std::string refusal(const LoadOptions& options) {
  return message_of<DataError>([&] { load_dataset(cells(), options); });
}

TEST(AnnData, HasColumnsOfEveryKind) {
  const AnnDataFile file(cells());
  EXPECT_EQ(file.size(), 12);
  EXPECT_EQ(file.names()[11], "cell-11");
  EXPECT_THAT(file.columns(),
              ElementsAre("cell_type", "text", "number", "counts", "flag", "truth"));
  const std::vector<std::string> kinds = file.column("cell_type");
  EXPECT_THAT(kinds,
              ElementsAre("T cell", "", "", "T cell", "", "", "", "B cell", "", "", "B cell", ""));
  EXPECT_EQ(file.column("text"), kinds);
  EXPECT_THAT(file.column("number"),
              ElementsAre("0", "", "", "0", "", "", "", "1", "", "", "1", ""));
  EXPECT_EQ(file.column("counts"), file.column("number"));
  EXPECT_EQ(file.column("flag")[5], "False");
  EXPECT_EQ(file.column("flag")[6], "True");
  EXPECT_THAT(message_of<DataError>([&] { file.column("celltype"); }),
              AllOf(HasSubstr("obs has no column 'celltype'"), HasSubstr("cell_type")));
}

TEST(AnnData, IsTheSameInBothEncodings) {
  const Dataset young = load_dataset(cells(), {.labels = "cell_type"});
  const Dataset old = load_dataset(cells("cells_0.7.h5ad"), {.labels = "cell_type"});
  EXPECT_EQ(young.graph().adjacency.value, old.graph().adjacency.value);
  EXPECT_EQ(young.graph().adjacency.column, old.graph().adjacency.column);
  EXPECT_EQ(young.graph().node_names, old.graph().node_names);
  EXPECT_EQ(std::get<ClassLabels>(young.labels), std::get<ClassLabels>(old.labels));
  EXPECT_THAT(labeled_indices(young.labels), ElementsAre(0, 3, 7, 10));
}

TEST(AnnData, IsAGraphOrPointsByKindAndKey) {
  EXPECT_EQ(load_dataset(cells()).kind(), DatasetKind::graph);
  const Dataset points = load_dataset(cells(), {.kind = DatasetKind::points});
  EXPECT_EQ(points.points().values.rows(), 12);
  EXPECT_EQ(points.points().values.cols(), 3);
  EXPECT_EQ(points.sample_names()[2], "cell-2");
  EXPECT_EQ(load_dataset(cells(), {.key = "X_umap"}).points().values.cols(), 2);
  const Dataset genes = load_dataset(cells(), {.key = "X"});
  EXPECT_THAT(genes.points().feature_names, ElementsAre("g0", "g1", "g2"));
  // Stored by columns.
  EXPECT_EQ(load_dataset(cells(), {.key = "distances"}).kind(), DatasetKind::graph);
  const auto stream = open_points(cells(), {});
  EXPECT_EQ(rows_of(stream->next(5)), 5);
  EXPECT_EQ(stream->ids().back(), "cell-4");
  EXPECT_EQ(rows_of(stream->next(50)), 7);
  EXPECT_EQ(stream->ids().front(), "cell-5");
  EXPECT_EQ(rows_of(stream->next(50)), 0);
}

TEST(AnnData, ListsWhatThereIs) {
  EXPECT_THAT(refusal({.key = "conectivities"}),
              AllOf(HasSubstr("has no 'conectivities' in obsp or obsm"),
                    HasSubstr("obsp has connectivities, distances, obsm has X_pca, X_umap"),
                    HasSubstr("did you mean connectivities?"), HasSubstr("--key")));
  EXPECT_THAT(refusal({.kind = DatasetKind::graph, .key = "X_pca"}),
              AllOf(HasSubstr("has no obsp/X_pca; obsp has connectivities, distances")));
  EXPECT_THAT(refusal({.kind = DatasetKind::kernel}), HasSubstr("kind kernel"));
  const TemporaryFolder folder;
  const auto damaged = folder.write("a.h5ad", "\x89HDF\r\n\x1a\n and nothing else");
  EXPECT_THAT(message_of<DataError>([&] { load_dataset(damaged); }),
              HasSubstr("cannot be opened as HDF5"));
}

}  // namespace
}  // namespace stkr::anndata_test
