#include "stkr/selection/kernel_rows.hpp"

#include "stkr/linop/block_algebra.hpp"

namespace stkr {

KernelRows::KernelRows(const GramOperator& gram, std::vector<Index> labeled,
                       std::vector<Index> scored)
    : labeled_(std::move(labeled)),
      known_(labeled_),
      scored_(static_cast<Index>(scored.size())),
      size_(static_cast<double>(gram.size())) {
  known_.insert(known_.end(), scored.begin(), scored.end());
  check_block_indices(gram, known_, {}, "KernelRows");
}

KernelRows::KernelRows(const GramOperator& gram, std::vector<Index> labeled,
                       const CrossKernel& cross, const NewSamples& samples,
                       const std::vector<Index>& seen)
    : labeled_(std::move(labeled)),
      known_(labeled_),
      scored_(static_cast<Index>(seen.size()) + samples.count()),
      size_(static_cast<double>(gram.size())),
      cross_(&cross),
      samples_(&samples) {
  known_.insert(known_.end(), seen.begin(), seen.end());
  check_block_indices(gram, known_, {}, "KernelRows");
}

Matrix KernelRows::apply(ConstMatrixRef x, ConstMatrixRef s_x) const {
  Matrix known = size_ * gather_rows(s_x, known_);
  if (!cross_) return known;
  const Index fresh = samples_->count();
  Matrix rows(known.rows() + fresh, x.cols());
  rows.topRows(known.rows()) = known;
  if (fresh > 0) rows.bottomRows(fresh) = cross_->apply(*samples_, x);
  return rows;
}

Matrix KernelRows::gather(ConstMatrixRef x) const { return gather_rows(x, known_); }

std::vector<char> KernelRows::reached(const GramOperator& gram) const {
  std::vector<char> result(scored_, 1);
  const KnownEigenspace* components = gram.known_eigenspace();
  if (!components || components->dimension() == 0 || !gram.nonnegative()) return result;
  std::vector<char> labeled(components->dimension(), 0);
  for (const Index i : labeled_) {
    if (components->group(i) >= 0) labeled[components->group(i)] = 1;
  }
  Matrix inside = Matrix::Zero(gram.size(), 1);
  for (Index i = 0; i < gram.size(); ++i) {
    if (components->group(i) >= 0) inside(i, 0) = labeled[components->group(i)];
  }
  const Matrix weight = apply(inside, product(gram, inside)).bottomRows(scored_);
  for (Index k = 0; k < scored_; ++k) result[k] = weight(k, 0) > 0.0;
  return result;
}

}  // namespace stkr
