#include "neighbor_rounding.hpp"

#include <gtest/gtest.h>

#include "gram_checks.hpp"
#include "runtime/random.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/neighbor_graph.hpp"

namespace stkr::neighbor_rounding_test {
namespace {

// Two sites `apart` in the first feature, each with two groups at a distance of 10.
Matrix sites(double apart) {
  Random random(5);
  Matrix x(80, 2);
  for (Index i = 0; i < 80; ++i) {
    x(i, 0) = (i < 40 ? 0.0 : apart) + (i % 2 == 0 ? 0.0 : 10.0) + random.normal();
    x(i, 1) = random.normal();
  }
  return x;
}

NeighborGraphOptions options(EdgeWeight weight = EdgeWeight::binary) {
  NeighborGraphOptions result;
  result.k = 5;
  result.weight = weight;
  return result;
}

// The fraction of edges within a group.
double within_groups(const CsrMatrix& edges) {
  double same = 0.0;
  for (Index i = 0; i < edges.rows; ++i) {
    for (std::int64_t p = edges.row_start[i]; p < edges.row_start[i + 1]; ++p) {
      same += i % 2 == edges.column[p] % 2 && (i < 40) == (edges.column[p] < 40);
    }
  }
  return same / static_cast<double>(edges.entries());
}

TEST(NeighborRounding, AcceptsWhatSinglePrecisionHolds) {
  for (const double apart : {100.0, 1e3, 1e6}) {
    EXPECT_EQ(within_groups(neighbor_graph(sites(apart), options()).weights), 1.0) << apart;
  }
  // A common offset of any size is subtracted.
  Matrix shifted = sites(100.0);
  shifted.col(1).array() += 1e9;
  EXPECT_EQ(within_groups(neighbor_graph(shifted, options()).weights), 1.0);
}

TEST(NeighborRounding, RefusesSitesTooFarApart) {
  for (const double apart : {1e8, 1e9, 1e12}) {
    const std::string message =
        message_of<ValueError>([&] { neighbor_graph(sites(apart), options()); });
    EXPECT_NE(message.find("single precision"), std::string::npos) << apart << ": " << message;
    EXPECT_NE(message.find("rbf"), std::string::npos) << message;
  }
}

TEST(NeighborRounding, RefusesPointsThatVanish) {
  const std::string message =
      message_of<ValueError>([&] { neighbor_graph(1e-46 * sites(0.0), options()); });
  EXPECT_NE(message.find("multiply the features"), std::string::npos) << message;
  EXPECT_EQ(within_groups(neighbor_graph(1e-30 * sites(100.0), options()).weights), 1.0);
}

TEST(NeighborRounding, TakesEqualPointsForEqual) {
  // Multiples of 0.1 are inexact in both precisions; a grid of them has many equal points.
  Matrix x(80, 1);
  for (Index i = 0; i < 80; ++i) x(i, 0) = 0.1 * static_cast<double>(i % 4);
  EXPECT_NO_THROW(neighbor_graph(x, options()));
  // Equal up to double-precision rounding.
  for (Index i = 0; i < 80; ++i) x(i, 0) *= 1.0 + 1e-16 * static_cast<double>(i / 4);
  EXPECT_NO_THROW(neighbor_graph(x, options()));
}

TEST(NeighborRounding, AcceptsAFewPointsFarOutside) {
  Matrix x(202, 1);
  Random random(7);
  for (Index i = 0; i < 200; ++i) x(i, 0) = random.normal();
  x(200, 0) = 1e5;
  x(201, 0) = 1e5 + 1e-6;
  EXPECT_NO_THROW(neighbor_graph(x, options()));
}

TEST(NeighborRounding, LooksAtDirectionsWhereTheyAreSearched) {
  Matrix x = sites(0.0);
  EXPECT_NO_THROW(neighbor_graph(x, options(EdgeWeight::cosine)));
  // Two directions, with all points within 1e-10 of one of them.
  for (Index i = 0; i < 80; ++i) {
    x(i, 0) = (i < 40 ? 1.0 : -1.0) * (1.0 + 1e-10 * x(i, 1));
    x(i, 1) = 1.0;
  }
  const std::string message =
      message_of<ValueError>([&] { neighbor_graph(x, options(EdgeWeight::cosine)); });
  EXPECT_NE(message.find("single precision"), std::string::npos) << message;
}

}  // namespace
}  // namespace stkr::neighbor_rounding_test
