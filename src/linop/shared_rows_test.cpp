#include "stkr/linop/shared_rows.hpp"

#include <gtest/gtest.h>

namespace stkr::shared_rows_test {

// The second of two processes, whose sums see a first one that adds 1 to everything.
class Second : public SharedRows {
 public:
  Index size() const override { return 5; }
  Index first() const override { return 2; }
  Index count() const override { return 3; }
  Index most() const override { return 3; }
  void sum(MatrixRef values) const override { values.array() += 1.0; }
  void largest(MatrixRef values) const override { values = values.cwiseMax(1.0); }
  std::vector<Index> joined(std::span<const Index> own) const override {
    std::vector<Index> all{7};
    all.insert(all.end(), own.begin(), own.end());
    return all;
  }
};

const Matrix kBlock = (Matrix(3, 1) << 10.0, 20.0, 30.0).finished();
const std::vector<Index> kSamples = {4, 0, 2};

TEST(SharedRows, KnowsItsOwnRows) {
  const Second rows;
  EXPECT_EQ(rows.local(1), -1);
  EXPECT_EQ(rows.local(2), 0);
  EXPECT_EQ(rows.local(4), 2);
  EXPECT_EQ(rows.local(5), -1);
  EXPECT_EQ(local_samples(&rows, kSamples), (std::vector<Index>{2, 0}));
}

TEST(SharedRows, ScattersWhatIsItsOwn) {
  const Second rows;
  const Matrix expected = (Matrix(3, 1) << 30.0, 0.0, 10.0).finished();
  EXPECT_EQ(scatter_samples(&rows, kBlock, kSamples, 5), expected);
}

TEST(SharedRows, GathersASumOverProcesses) {
  const Second rows;
  const Matrix expected = (Matrix(3, 1) << 31.0, 1.0, 11.0).finished();
  EXPECT_EQ(gather_samples(&rows, kBlock, kSamples), expected);
  EXPECT_EQ(sum_over(&rows, 2.0), 3.0);
  EXPECT_TRUE(any_over(&rows, false));  // it is true in the first process
  EXPECT_FALSE(all_over(&rows, true));
}

TEST(SharedRows, IsTheWholeBlockForOneProcess) {
  const std::vector<Index> samples = {2, 0};
  EXPECT_EQ(gather_samples(nullptr, kBlock, samples), (Matrix(2, 1) << 30.0, 10.0).finished());
  EXPECT_EQ(scatter_samples(nullptr, kBlock.topRows(2), samples, 3),
            (Matrix(3, 1) << 20.0, 0.0, 10.0).finished());
  EXPECT_EQ(local_samples(nullptr, samples), samples);
  EXPECT_EQ(sum_over(nullptr, 2.0), 2.0);
  EXPECT_TRUE(all_over(nullptr, true));
  EXPECT_FALSE(any_over(nullptr, false));
}

}  // namespace stkr::shared_rows_test
