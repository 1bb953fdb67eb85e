#include "gram/deflated_gram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cross_kernels.hpp"
#include "gram/gram_memory.hpp"
#include "runtime/byte_count.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

const KnownEigenspace& leading(const GramOperator& gram) {
  const KnownEigenspace* known = gram.known_eigenspace();
  if (!known || known->dimension() == 0 || !(known->eigenvalue() > 0.0)) {
    throw ValueError(
        "the leading eigenvectors of this kernel are not known, so they cannot be removed; use a "
        "neighbor graph, the lazy walk or the symmetric normalization of a graph, or a "
        "degree-normalized kernel");
  }
  return *known;
}

}  // namespace

DeflatedGram::DeflatedGram(std::unique_ptr<GramOperator> gram, int threads)
    : DecoratedGram(std::move(gram), "DeflatedGram"),
      largest_(leading(*gram_).eigenvalue()),
      removed_(leading(*gram_).with_eigenvalue(0.0)),
      threads_(threads) {}

void DeflatedGram::apply(ConstMatrixRef x, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "DeflatedGram::apply");
  gram_->apply(x, y);
  add_projection(removed_, -largest_, x, y, threads_);
}

Matrix DeflatedGram::block(std::span<const Index> rows, std::span<const Index> columns) const {
  Matrix result = gram_->block(rows, columns);
  const double scale = static_cast<double>(size()) * largest_;  // G = N S
  for (Index i = 0; i < result.rows(); ++i) {
    const std::int32_t group = removed_.group(rows[i]);
    if (group < 0) continue;
    for (Index j = 0; j < result.cols(); ++j) {
      if (removed_.group(columns[j]) != group) continue;
      result(i, j) -= scale * (removed_.weights()[rows[i]] * removed_.weights()[columns[j]]);
    }
  }
  return result;
}

SpectrumBounds DeflatedGram::bounds() const {
  SpectrumBounds bounds = gram_->bounds();
  bounds.lower = std::min(bounds.lower, 0.0);
  return bounds;
}

std::unique_ptr<CrossKernel> DeflatedGram::cross_kernel() const {
  return std::make_unique<DeflatedCrossKernel>(gram_->cross_kernel(), largest_, removed_);
}

DeflatedCrossKernel::DeflatedCrossKernel(std::unique_ptr<CrossKernel> cross, double largest,
                                         KnownEigenspace removed)
    : DecoratedCrossKernel(std::move(cross)),
      largest_(largest),
      removed_(std::move(removed)),
      saved_groups_(removed_.groups().begin(), removed_.groups().end()) {
  for (std::int32_t& group : saved_groups_) ++group;
  if (removed_.size() != cross_->known()) {
    throw ShapeError(fmt::format("DeflatedCrossKernel: eigenvectors of {} samples for {} known",
                                 removed_.size(), cross_->known()));
  }
  if (!(largest_ > self_term())) {
    throw ValueError(
        fmt::format("DeflatedCrossKernel: the eigenvalue {} is not above the self term {}",
                    largest_, self_term()));
  }
}

class DeflatedCrossKernel::Placed final : public DecoratedSamples {
 public:
  Placed(const DeflatedCrossKernel& cross, const NewSamples& samples)
      : DecoratedSamples(cross.cross_->place(samples)), cross_(cross) {}

  Matrix apply(ConstMatrixRef c) const override {
    check_coefficients(cross_, c, "DeflatedCrossKernel::apply");
    Matrix changed = c;
    const double factor = cross_.largest_ / (cross_.largest_ - cross_.self_term());
    add_projection(cross_.removed_, -factor, c, changed, /*threads=*/1);
    return inner_->apply(changed);
  }

 private:
  const DeflatedCrossKernel& cross_;
};

std::unique_ptr<PlacedSamples> DeflatedCrossKernel::place(const NewSamples& samples) const {
  return std::make_unique<Placed>(*this, samples);
}

void DeflatedCrossKernel::save(CrossKernelSink& sink) const {
  sink.text("kind", "deflated");
  sink.number("eigenvalue", largest_);
  sink.number("groups", static_cast<double>(removed_.dimension()));
  sink.indices("group", saved_groups_);
  save_vector(sink, "weight", removed_.weights());
  sink.part("gram", *cross_);
}

std::unique_ptr<CrossKernel> load_deflated_cross_kernel(CrossKernelSource& source,
                                                        const CrossKernelRegistry& registry) {
  const double largest = source.number("eigenvalue");
  const Index count = load_count(source, "groups");
  std::vector<std::int32_t> groups = source.indices("group");
  Vector weights = load_vector(source, "weight");
  if (count > weights.size() || static_cast<Index>(groups.size()) != weights.size() ||
      !weights.allFinite() || !std::isfinite(largest) || !(largest > 0.0)) {
    throw DataError("saved deflated kernel: the eigenvectors are inconsistent or not finite");
  }
  Vector squares = Vector::Zero(count);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::int32_t group = --groups[i];
    if (group >= count) throw DataError("saved deflated kernel: an eigenvector is missing");
    if (group >= 0)
      squares[group] += weights[static_cast<Index>(i)] * weights[static_cast<Index>(i)];
  }
  if (!((squares.array() - 1.0).abs() < 1e-6).all()) {
    throw DataError("saved deflated kernel: an eigenvector is not normalized");
  }
  std::unique_ptr<CrossKernel> cross = load_part(source, registry, "gram");
  if (cross->known() != weights.size() || !(largest > cross->self_term())) {
    throw DataError("saved deflated kernel: the eigenvectors do not match the kernel");
  }
  return std::make_unique<DeflatedCrossKernel>(
      std::move(cross), largest,
      KnownEigenspace(0.0, count, std::move(groups), std::move(weights)));
}

GramMemory deflated_gram_memory(Index samples) { return {.gram = byte_count(samples, 24.0)}; }

}  // namespace stkr
