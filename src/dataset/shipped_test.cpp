#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/point_stream.hpp"
#include "stkr/dataset/load_dataset.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::shipped_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

TEST(Shipped, EveryDatasetIsAsDescribed) {
  for (const ShippedInfo& info : shipped_datasets()) {
    const Dataset dataset = load_shipped(info.name);
    EXPECT_EQ(dataset.name, info.name);
    EXPECT_EQ(dataset.kind(), info.kind);
    EXPECT_EQ(dataset.size(), info.samples);
    const auto& labels = std::get<ClassLabels>(dataset.labels);
    EXPECT_EQ(static_cast<Index>(labels.names.size()), info.classes);
    EXPECT_EQ(static_cast<Index>(labeled_indices(dataset.labels).size()), info.samples);
    if (info.kind == DatasetKind::graph) {
      EXPECT_EQ(dataset.graph().adjacency.entries(), info.entries);
      EXPECT_NO_THROW(check_csr(dataset.graph().adjacency, "shipped"));
    } else {
      EXPECT_EQ(dataset.points().values.cols(), info.features);
    }
  }
}

TEST(Shipped, KarateLeadersAreInDifferentClubs) {
  const Dataset karate = load_shipped("karate");
  const auto& labels = std::get<ClassLabels>(karate.labels);
  EXPECT_EQ(labels.names[static_cast<std::size_t>(labels.code.front())], "Mr. Hi");
  EXPECT_EQ(labels.names[static_cast<std::size_t>(labels.code.back())], "Officer");
}

TEST(Shipped, DigitsHaveSeventeenGreyValues) {
  const Dataset digits = load_shipped("digits");
  const Matrix values = digits.points().values.matrix();
  for (Index i = 0; i < values.size(); ++i) {
    EXPECT_GE(values.data()[i], 0.0);
    EXPECT_LE(values.data()[i], 16.0);
  }
  EXPECT_EQ(std::get<ClassLabels>(digits.labels).code[5], 5);
}

TEST(Shipped, NamesWorkWhereNoSuchFileExists) {
  EXPECT_EQ(load_dataset("digits").size(), 1797);
  EXPECT_EQ(load_points("digits").values.cols(), 64);
  const std::string message = message_of<DataError>([] { load_dataset("diggits"); });
  EXPECT_THAT(message, HasSubstr("no such file"));
  EXPECT_THAT(message, HasSubstr("karate, digits"));
  EXPECT_THROW(load_shipped("diggits"), DataError);
}

}  // namespace
}  // namespace stkr::shipped_test
