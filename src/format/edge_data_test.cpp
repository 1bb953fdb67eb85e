#include "edge_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::detail::edge_data_test {
namespace {

using stkr::testing::message_of;
using ::testing::HasSubstr;

TEST(EdgeData, StartsAfterTheNodes) {
  const auto start = [](std::string_view line) { return edge_data_start(line); };
  EXPECT_EQ(start("a b {'weight': 1}"), 4u);
  EXPECT_EQ(start("a b {}"), 4u);
  EXPECT_EQ(start("a,b,{\"weight\": 1, 'x': {'y': 2}}"), 4u);
  // Braces that are part of a name.
  EXPECT_EQ(start("{1,2} {3}"), std::string_view::npos);
  EXPECT_EQ(start("a b{}"), std::string_view::npos);
  EXPECT_EQ(start("a b 3"), std::string_view::npos);
}

TEST(EdgeData, HasAWeight) {
  EXPECT_EQ(edge_data_weight("{'weight': 2.5}"), "2.5");
  EXPECT_EQ(edge_data_weight("{}"), "1");
  EXPECT_EQ(edge_data_weight("{'color': 'red'}"), "1");
  EXPECT_EQ(edge_data_weight("{'a': [1, {'weight': 9}], 'weight': 3, 'b': ('}', \"'\")}"), "3");
  EXPECT_EQ(edge_data_weight(R"({'it\'s': 'weight', 'weight': 1e-3})"), "1e-3");
  EXPECT_EQ(edge_data_weight("{'weight': None}"), "None");
  EXPECT_EQ(edge_data_weight("{'weight': np.float64(1.5)}"), "1.5");
}

TEST(EdgeData, IsRefusedUnlessItIsADictionary) {
  for (const char* bad : {"{'weight' 1}", "{'weight': }", "{'weight': 1", "{'weight: 1}", "{1: 2}",
                          "{'a': (1]}", "{'a': 1} x}"}) {
    EXPECT_THAT(message_of<ValueError>([&] { edge_data_weight(bad); }),
                HasSubstr("nx.write_weighted_edgelist"))
        << bad;
  }
}

}  // namespace
}  // namespace stkr::detail::edge_data_test
