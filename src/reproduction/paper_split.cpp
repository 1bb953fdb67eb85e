#include "reproduction/paper_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/random.hpp"
#include "stkr/error.hpp"

namespace stkr {

FourWaySplit paper_split(const PaperDataset& dataset, Index nodes, double p_test,
                         std::uint64_t seed) {
  if (!(p_test >= 0.0 && p_test <= 1.0)) {
    throw ValueError(
        fmt::format("paper_split: p_test is {}, expected a share between 0 and 1", p_test));
  }
  // 0.29 · 100 is a little less than 29.
  constexpr double kRounding = 1e-9;
  const auto test =
      static_cast<Index>(std::floor(p_test * static_cast<double>(nodes) * (1.0 + kRounding)));
  if (dataset.train + dataset.val + test > nodes) {
    throw ValueError(
        fmt::format("paper_split: {} train, {} val and {} test samples do not fit into {} nodes; "
                    "use a smaller p_test, or the whole graph",
                    dataset.train, dataset.val, test, nodes));
  }
  std::vector<Index> order(static_cast<std::size_t>(nodes));
  std::iota(order.begin(), order.end(), Index{0});
  Random(seed).shuffle(order);
  auto next = order.begin();
  const auto take = [&](Index count) {
    std::vector<Index> set(next, next + count);
    next += count;
    std::sort(set.begin(), set.end());
    return set;
  };
  FourWaySplit split;
  split.train = take(dataset.train);
  split.val = take(dataset.val);
  split.test = take(test);
  split.other = take(order.end() - next);
  return split;
}

}  // namespace stkr
