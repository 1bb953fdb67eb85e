#include "selection/kernel_rows.hpp"

#include <algorithm>

#include "estimator/poisson_leading.hpp"
#include "gram/weighted_gram.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

// The groups of samples joined by paths along K > 0, numbered if they contain a label; -1
// otherwise.
struct Parts {
  std::vector<Index> of;
  Index count = 0;
};

Parts parts_with_labels(const GramOperator& gram, const std::vector<Index>& labeled) {
  Parts parts{std::vector<Index>(gram.size(), -1)};
  if (const KnownEigenspace* components = gram.known_eigenspace(); gram.knows_components()) {
    std::vector<Index> number(components->dimension(), -1);
    for (const Index label : labeled) {
      const std::int32_t group = components->group(label);
      if (group >= 0 && number[group] < 0) number[group] = parts.count++;
    }
    for (Index i = 0; i < gram.size(); ++i) {
      if (const std::int32_t group = components->group(i); group >= 0) parts.of[i] = number[group];
    }
    for (const Index label : labeled) {
      if (components->group(label) < 0) parts.of[label] = parts.count++;  // without edges
    }
    return parts;
  }
  for (const Index label : labeled) {
    if (parts.of[label] >= 0) continue;
    std::vector<char> from(gram.size(), 0);
    from[label] = 1;
    const std::vector<char> reached = gram.reached(from, 0);
    for (Index i = 0; i < gram.size(); ++i) {
      if (reached[i]) parts.of[i] = parts.count;
    }
    parts.of[label] = parts.count++;  // even if no edge leads back to it
  }
  return parts;
}

}  // namespace

KernelRows::KernelRows(const GramOperator& gram, std::vector<Index> labeled,
                       std::vector<Index> scored)
    : labeled_(std::move(labeled)),
      known_(labeled_),
      scored_(static_cast<Index>(scored.size())),
      size_(static_cast<double>(gram.size())),
      rows_(gram.shared_rows()) {
  known_.insert(known_.end(), scored.begin(), scored.end());
  check_block_indices(gram, known_, {}, "KernelRows");
  inverse_root_ = inverse_or_zero(root_weights_at(gram, known_));
}

KernelRows::KernelRows(const GramOperator& gram, std::vector<Index> labeled,
                       const PlacedSamples& samples, Index count, const std::vector<Index>& seen)
    : labeled_(std::move(labeled)),
      known_(labeled_),
      scored_(static_cast<Index>(seen.size()) + count),
      fresh_(count),
      size_(static_cast<double>(gram.size())),
      rows_(gram.shared_rows()),
      samples_(&samples) {
  known_.insert(known_.end(), seen.begin(), seen.end());
  check_block_indices(gram, known_, {}, "KernelRows");
  inverse_root_ = inverse_or_zero(root_weights_at(gram, known_));
}

Matrix KernelRows::apply(ConstMatrixRef x, ConstMatrixRef s_x) const {
  return finish(gather_samples(rows_, s_x, known_), [&] { return x; });
}

RowSampler KernelRows::sampler() const {
  return {known_, [this](const Matrix& rows, const RowSampler::Whole& whole) {
            return finish(rows, whole);
          }};
}

Matrix KernelRows::finish(Matrix known, const RowSampler::Whole& whole) const {
  known *= size_;
  if (inverse_root_.size() > 0) known = (inverse_root_.asDiagonal() * known).eval();
  if (!samples_) return known;
  Matrix rows(known.rows() + fresh_, known.cols());
  rows.topRows(known.rows()) = known;
  if (fresh_ > 0) rows.bottomRows(fresh_) = samples_->apply(whole());
  return rows;
}

Matrix KernelRows::gather(ConstMatrixRef x) const { return gather_samples(rows_, x, known_); }

Matrix KernelRows::links_over_processes(const GramOperator& gram) const {
  // The part of each labeled and scored sample, or -1.
  std::vector<Index> part(known_.size(), -1);
  if (gram.knows_components()) {
    part = groups_of_samples(*gram.known_eigenspace(), known_, rows_).group;
  } else {
    for (Index j = 0, parts = 0; j < labels(); ++j) {
      if (part[static_cast<std::size_t>(j)] >= 0) continue;
      std::vector<char> from(static_cast<std::size_t>(gram.local_size()), 0);
      const Index own = rows_->local(labeled_[static_cast<std::size_t>(j)]);
      if (own >= 0) from[static_cast<std::size_t>(own)] = 1;
      const std::vector<char> reached = gram.reached(from, 0);
      Matrix flags(gram.local_size(), 1);
      for (Index i = 0; i < flags.rows(); ++i) flags(i, 0) = reached[static_cast<std::size_t>(i)];
      const Matrix known = gather(flags);
      for (std::size_t k = 0; k < part.size(); ++k) {
        if (known(static_cast<Index>(k), 0) > 0.0) part[k] = parts;
      }
      part[static_cast<std::size_t>(j)] = parts++;  // even if no edge leads back to it
    }
  }
  Matrix result(labels() + scored_, labels());
  for (Index k = 0; k < result.rows(); ++k) {
    for (Index j = 0; j < labels(); ++j) {
      const Index own = part[static_cast<std::size_t>(k)];
      const bool same =
          own >= 0 ? own == part[static_cast<std::size_t>(j)]
                   : known_[static_cast<std::size_t>(k)] == labeled_[static_cast<std::size_t>(j)];
      result(k, j) = same ? 1.0 : 0.0;
    }
  }
  return result;
}

Matrix KernelRows::links(const GramOperator& gram) const {
  Matrix result = Matrix::Ones(labels() + scored_, labels());
  if (!gram.nonnegative() || labels() == 0) return result;
  if (rows_) return links_over_processes(gram);
  const Parts parts = parts_with_labels(gram, labeled_);
  if (parts.count == 1 && std::find(parts.of.begin(), parts.of.end(), -1) == parts.of.end()) {
    return result;
  }
  for (std::size_t k = 0; k < known_.size(); ++k) {
    const Index own = parts.of[known_[k]];
    for (Index j = 0; j < labels(); ++j) {
      result(static_cast<Index>(k), j) = own >= 0 && own == parts.of[labeled_[j]] ? 1.0 : 0.0;
    }
  }
  if (fresh_ == 0) return result;
  Matrix inside = Matrix::Zero(gram.size(), parts.count);
  for (Index i = 0; i < gram.size(); ++i) {
    if (parts.of[i] >= 0) inside(i, parts.of[i]) = 1.0;
  }
  const Matrix weight = samples_->apply(inside);
  for (Index i = 0; i < fresh_; ++i) {
    for (Index j = 0; j < labels(); ++j) {
      result(labels() + scored_ - fresh_ + i, j) = weight(i, parts.of[labeled_[j]]) > 0.0;
    }
  }
  return result;
}

}  // namespace stkr
