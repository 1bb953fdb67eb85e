#include "plan/process_plan.hpp"

#include <algorithm>

#include "runtime/byte_count.hpp"

namespace stkr {
namespace {

// Of the halo, numbers of samples and their rows of a block, received and to be sent. Of the own
// rows, where the entries of the halo start, labels, and degrees that are exchanged.
std::uint64_t shared_memory(const ProcessShare& share) {
  constexpr Index kWidest = 16;  // columns of blocks in searches for eigenpairs
  const auto columns = static_cast<double>(std::max(share.shape.outputs, kWidest));
  return byte_count(share.others, 12.0 + 16.0 * columns) + byte_count(share.shape.samples, 48.0);
}

}  // namespace

ProcessShare graph_process_share(const ProblemShape& whole, const GraphShare& share) {
  ProcessShare result{.shape = whole};
  result.shape.samples = std::max<Index>(share.most_rows, 1);
  result.shape.entries = share.entries;
  result.others = std::min(whole.samples - share.fewest_rows, share.entries);
  // Rows as they are read and in canonical form; all labels, at the first process.
  constexpr double kLabelBytes = 48.0;
  result.shape.reading = byte_count(share.entries, 24.0) + byte_count(share.most_rows, 16.0) +
                         byte_count(whole.samples, kLabelBytes);
  return result;
}

Plan plan_process(const ProcessShare& share, const Context& context, const PlanShare& plan) {
  const std::uint64_t more = kEngineMemory + shared_memory(share);
  Context own = context;
  // 0 would mean no limit.
  if (own.memory > 0) own.memory = std::max<std::uint64_t>(own.memory, more + 1) - more;
  Plan result = plan(share.shape, own);
  result.memory = context.memory;
  for (Strategy& strategy : result.strategies) {
    strategy.peak.program += more;
    strategy.expected += more;
  }
  return result;
}

}  // namespace stkr
