#include "inference/label_rows.hpp"

#include "stkr/linop/block_algebra.hpp"

namespace stkr {

LabelRows::LabelRows(const FittedSystem& system, std::span<const Index> samples)
    : count_(static_cast<Index>(samples.size())), known_(samples.begin(), samples.end()) {
  check_block_indices(*system.gram, samples, {}, "samples");
}

LabelRows::LabelRows(const FittedSystem& system, const NewSamples& samples)
    : count_(samples.count()),
      cross_(system.gram->cross_kernel()),
      placed_(cross_->place(samples)),
      twins_(placed_->twins()) {}

Matrix LabelRows::operator()(const TermSystem& term) const {
  if (!placed_) return gather_rows(term.known(), known_);
  Matrix rows = placed_->apply(term.fresh());
  for (Index i = 0; twins_ && i < rows.rows(); ++i) {
    if (twins_->count(i) == 0) continue;
    rows.row(i).setZero();
    for (std::int64_t p = twins_->row_start[i]; p < twins_->row_start[i + 1]; ++p) {
      rows.row(i) += term.known().row(twins_->sample[p]) / static_cast<double>(twins_->count(i));
    }
  }
  return rows;
}

}  // namespace stkr
