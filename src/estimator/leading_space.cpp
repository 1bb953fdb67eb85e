#include "estimator/leading_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "linop/saved_state.hpp"
#include "solver/component_eigenpairs.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// Relative to λ₁: above the residuals of the eigenpairs, far below any meaningful gap.
constexpr double kEqual = 1e-8;

bool gap_after(const Vector& values, Index count) {
  return values[count - 1] - values[count] > kEqual * std::abs(values[0]);
}

// How many eigenvalues are searched for the end of a set of equal ones.
Index searched(Index d, Index size) { return std::min(size, 4 * d + 64); }

// Too many copies to keep: drops all of them, unless nothing comes before.
WholeDimension before_copies(const Vector& values, Index d) {
  Index before = d;
  while (before > 0 && !gap_after(values, before)) --before;
  return before > 0 ? WholeDimension{before, false} : WholeDimension{d, true};
}

// Computes eigenpairs, or reads them from the run's saved state. `rows`: of the vectors.
template <class Compute>
Eigenpairs resumable(SavedState* saved, const SharedRows* rows, Compute&& compute) {
  Eigenpairs pairs;
  const auto compute_blocks = [&] {
    pairs = compute();
    if (!saved) return std::vector<Matrix>{};
    const SolveSummary& summary = pairs.summary;
    const Eigen::RowVector3d counts(static_cast<double>(summary.reason), summary.iterations,
                                    static_cast<double>(summary.products));
    return std::vector<Matrix>{
        pairs.vectors, pairs.values.transpose(),   pairs.residuals.transpose(),
        counts,        text_block(summary.solver), text_block(summary.message)};
  };
  const std::vector<Matrix> blocks =
      saved_or(saved, "eigenpairs", compute_blocks, {rows, /*first=*/0, /*count=*/1});
  if (pairs.values.size() > 0 || blocks.empty()) return pairs;
  pairs.vectors = blocks[0];
  pairs.values = blocks[1].row(0);
  pairs.residuals = blocks[2].row(0);
  pairs.summary.reason = static_cast<StopReason>(blocks[3](0, 0));
  pairs.summary.iterations = static_cast<int>(blocks[3](0, 1));
  pairs.summary.products = static_cast<long>(blocks[3](0, 2));
  pairs.summary.solver = block_text(blocks[4]);
  pairs.summary.message = block_text(blocks[5]);
  pairs.summary.residuals.assign(pairs.residuals.begin(), pairs.residuals.end());
  return pairs;
}

}  // namespace

WholeDimension whole_dimension(const Vector& values, Index d, Index size) {
  const Index most = searched(d, size);
  const Index whole = whole_dimension(values, d);
  if (most == size || whole < most) return {whole, false};
  return before_copies(values, d);
}

Index whole_dimension(const Vector& values, Index d) {
  if (d >= values.size()) return values.size();
  for (Index end = d; end < values.size(); ++end) {
    if (gap_after(values, end)) return end;
  }
  return values.size();
}

LeadingSpace leading_space(const GramOperator& gram, std::vector<Index> samples, double scale,
                           Index d, TopD kind, const EigenpairOptions& options,
                           const Context& context) {
  LeadingSpace result;
  result.samples = std::move(samples);
  const std::unique_ptr<LinearOperator> block = gram.restricted(result.samples, scale);
  const auto* sparse = dynamic_cast<const CsrOperator*>(block.get());
  const Index size = block->size();
  d = std::min(d, size);
  const Index most = searched(d, size);
  Eigenpairs pairs;
  // One more than requested tells whether d splits a set of equal eigenvalues.
  for (Index count = std::min(size, d + 1);; count = std::min(most, 2 * count)) {
    pairs = resumable(context.saved, block->shared_rows(), [&] {
      return sparse ? component_eigenpairs(*sparse, count, options, context)
                    : top_eigenpairs(*block, count, options, context);
    });
    if (pairs.summary.reason == StopReason::cancelled) throw Cancelled("stopped by the caller");
    if (count == size || count >= most || kind == TopD::literal) break;
    const Index whole = whole_dimension(pairs.values, d);
    if (whole < count) break;
  }
  const Index positive =
      size > 0 ? (pairs.values.array() > 1e-12 * std::abs(pairs.values[0])).count() : 0;
  result.positive = positive;
  Index kept = std::min(d, positive);
  if (kind == TopD::literal) {
    result.ambiguous = kept > 0 && kept < pairs.values.size() && !gap_after(pairs.values, kept);
  } else if (kept > 0 && kept < pairs.values.size()) {
    const Index whole = whole_dimension(pairs.values, kept);
    if (whole < pairs.values.size() || pairs.values.size() == size) {
      kept = std::min(whole, positive);
    } else {
      const WholeDimension before = before_copies(pairs.values, kept);
      kept = before.kept;
      result.ambiguous = before.parts;
    }
  }
  result.values = pairs.values.head(kept);
  result.vectors = pairs.vectors.leftCols(kept);
  result.summary = std::move(pairs.summary);
  return result;
}

void warn_of_copies(std::string_view what, Index d, const LeadingSpace& space,
                    std::vector<std::string>& warnings) {
  if (space.ambiguous) {
    warnings.push_back(
        fmt::format("{}: d = {} splits a set of equal eigenvalues: the predictions depend on "
                    "the choice of eigenvectors, and so on the seed",
                    what, d));
  } else if (space.kept() != d && space.positive >= d) {
    warnings.push_back(
        fmt::format("{}: d = {} would split a set of equal eigenvalues, so {} eigenvectors are "
                    "used, {} the whole set",
                    what, d, space.kept(), space.kept() > d ? "including" : "excluding"));
  }
}

std::vector<Index> samples_that_labels_reach(const GramOperator& gram,
                                             std::span<const Index> labeled) {
  std::vector<Index> all(gram.local_size());
  std::iota(all.begin(), all.end(), Index{0});
  if (!gram.sparse() || !gram.nonnegative()) return all;
  std::vector<char> from(gram.local_size(), 0);
  for (const Index i : local_samples(gram.shared_rows(), labeled)) from[i] = 1;
  const std::vector<char> reached = gram.reached(from, 0);
  std::erase_if(all, [&](Index i) { return !reached[i] && !from[i]; });
  return all;
}

}  // namespace stkr
