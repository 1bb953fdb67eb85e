#include "ring_exchange.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "row_fetch.hpp"
#include "shared_cases.hpp"
#include "stkr/error.hpp"

namespace stkr::ring_exchange_test {

using petsc::pairs_of;
using petsc::RingBlock;
using petsc::RingExchange;
using petsc::RowFetch;

// Numbers that say which row they are of.
struct Numbered {
  explicit Numbered(Index size) : layout(petsc::shared_layout(size)) {
    for (Index i = 0; i < layout->count(); ++i) {
      number.push_back(static_cast<double>(layout->first() + i));
      pairs.push_back(static_cast<std::int32_t>(layout->first() + i));
      pairs.push_back(-pairs.back());
    }
  }
  RingExchange ring() const {
    return {layout, {{number.data(), sizeof(double)}, {pairs.data(), 2 * sizeof(std::int32_t)}}};
  }
  petsc::Layout layout;
  std::vector<double> number;
  std::vector<std::int32_t> pairs;
};

TEST(RingExchange, BringsEveryBlockToEveryProcess) {
  for (const Index size : {Index{0}, Index{2}, Index{11}, Index{1000}}) {
    const Numbered rows(size);
    const RingExchange ring = rows.ring();
    std::vector<char> seen(static_cast<std::size_t>(size), 0);
    ring.pass(ring.ranks(), [&](const RingBlock& block) {
      for (Index i = 0; i < block.count; ++i) {
        const Index row = block.first + i;
        EXPECT_EQ(block.rows<double>(0)[i], static_cast<double>(row));
        EXPECT_EQ(block.rows<std::int32_t>(1)[2 * i + 1], -row);
        seen[static_cast<std::size_t>(row)] += 1;
      }
    });
    EXPECT_EQ(seen, std::vector<char>(seen.size(), 1));
  }
}

TEST(RingExchange, MeetsEveryPairOnceAndGivesResultsBack) {
  for (const Index size : {Index{3}, Index{10}, Index{37}}) {
    const Numbered rows(size);
    const RingExchange ring = rows.ring();
    const Index count = rows.layout->count();
    // How often each row met each other; the process that computes a pair counts for both.
    Matrix met = Matrix::Zero(count, size), guests, received(count, size);
    ring.pass(
        petsc::steps_of_pairs(ring.ranks()),
        [&](const RingBlock& block) {
          guests = Matrix::Zero(block.count, size);
          const petsc::PairRange range = pairs_of(block, count, ring.rank(), ring.ranks());
          for (Index i = 0; i < range.own_count; ++i) {
            for (Index j = 0; j < range.visitor_count; ++j) {
              met(range.own_first + i, block.first + range.visitor_first + j) += 1.0;
              guests(range.visitor_first + j, rows.layout->first() + range.own_first + i) += 1.0;
            }
          }
        },
        [&](const RingBlock& block) {
          if (block.step == 0) return;
          ring.give_back(block, guests.data(), received.data(),
                         static_cast<std::size_t>(size) * sizeof(double));
          met += received;
        });
    EXPECT_EQ(met, Matrix::Ones(count, size));
  }
}

TEST(RingExchange, EndsAllProcessesWithTheErrorOfOne) {
  const Numbered rows(8);
  const RingExchange ring = rows.ring();
  const auto fail = [&](const RingBlock&) {
    if (ring.rank() == ring.ranks() - 1) throw DataError("only here");
  };
  EXPECT_THROW(ring.pass(ring.ranks(), fail), DataError);
}

TEST(RowFetch, FetchesAndAddsRowsOfAllProcesses) {
  const petsc::Layout layout = petsc::shared_layout(9);
  Matrix own(layout->count(), 2);
  for (Index i = 0; i < own.rows(); ++i) {
    own.row(i) << static_cast<double>(layout->first() + i), 0.5;
  }
  const std::vector<Index> wanted = {8, 0, 3, 8};
  const RowFetch fetch(*layout, wanted);
  const Matrix rows = fetch(own);
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    EXPECT_EQ(rows(static_cast<Index>(k), 0), static_cast<double>(wanted[k]));
    EXPECT_EQ(rows(static_cast<Index>(k), 1), 0.5);
  }
  Matrix count = Matrix::Zero(layout->count(), 1);
  fetch.add(Matrix::Ones(4, 1), count);
  const Matrix all = petsc::all_rows(count, *layout);
  const double processes = sum_over(layout.get(), 1.0);
  EXPECT_EQ(all(8, 0), 2.0 * processes);
  EXPECT_EQ(all(3, 0), processes);
  EXPECT_EQ(all(4, 0), 0.0);
}

}  // namespace stkr::ring_exchange_test
