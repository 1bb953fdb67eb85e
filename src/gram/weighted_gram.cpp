#include "gram/weighted_gram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cross_kernels.hpp"
#include "linop/device_operator.hpp"
#include "linop/operators.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

Vector root_of(const GramOperator& gram, const Vector& weights) {
  if (gram.root_weights() != nullptr) {
    throw ValueError("the samples already carry weights; multiply the weights instead");
  }
  if (weights.size() != gram.local_size()) {
    throw ShapeError(
        fmt::format("sample weights: {} weights for {} samples; expected one per sample",
                    weights.size(), gram.local_size()));
  }
  const SharedRows* rows = gram.shared_rows();
  for (Index i = 0; i < weights.size(); ++i) {
    if (!(weights[i] >= 0.0) || !std::isfinite(weights[i])) {
      throw ValueError(fmt::format("the weight of sample {} is {}; expected 0 or more",
                                   i + (rows ? rows->first() : 0), weights[i]));
    }
  }
  const double mean = sum_over(rows, weights.sum()) / static_cast<double>(gram.size());
  if (!(mean > 0.0)) throw ValueError("sample weights: all weights are 0; expected some above 0");
  return (weights / mean).cwiseSqrt();
}

// The largest of sign·root over all processes.
double extreme(const SharedRows* rows, const Vector& root, double sign) {
  Matrix most = Matrix::Constant(1, 1, -std::numeric_limits<double>::infinity());
  if (root.size() > 0) most(0, 0) = (sign * root).maxCoeff();
  largest_over(rows, most);
  return most(0, 0);
}

}  // namespace

WeightedGram::WeightedGram(std::unique_ptr<GramOperator> gram, Vector weights)
    : DecoratedGram(std::move(gram), "WeightedGram"), root_(root_of(*gram_, weights)) {}

void WeightedGram::apply(ConstMatrixRef x, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "WeightedGram::apply");
  const Matrix scaled = root_.asDiagonal() * x;
  gram_->apply(scaled, y);
  y.array().colwise() *= root_.array();
}

std::shared_ptr<const DeviceOperator> WeightedGram::on_device() const {
  const auto device = gram_->on_device();
  return device ? device->diagonally_scaled(root_, Matrix(), 1) : nullptr;
}

Matrix WeightedGram::block(std::span<const Index> rows, std::span<const Index> columns) const {
  Matrix result = gram_->block(rows, columns);
  const Vector of_rows = root_weights_at(*this, rows), of_columns = root_weights_at(*this, columns);
  for (Index i = 0; i < result.rows(); ++i) {
    for (Index j = 0; j < result.cols(); ++j) result(i, j) *= of_rows[i] * of_columns[j];
  }
  return result;
}

Matrix WeightedGram::columns(std::span<const Index> samples) const {
  return root_.asDiagonal() * gram_->columns(samples) *
         root_weights_at(*this, samples).asDiagonal();
}

std::unique_ptr<LinearOperator> WeightedGram::restricted(std::vector<Index> samples,
                                                         double scale) const {
  Matrix root = gather_rows(root_, samples);
  return std::make_unique<DiagonalScaling>(gram_->restricted(std::move(samples), scale),
                                           std::move(root));
}

SpectrumBounds WeightedGram::bounds() const {
  // Ostrowski: a congruence by √w scales eigenvalues by a factor between the extremes of w.
  const double most = std::pow(extreme(shared_rows(), root_, 1.0), 2);
  const SpectrumBounds inner = gram_->bounds();
  return {std::min(0.0, inner.lower * most), std::max(0.0, inner.upper * most)};
}

std::vector<char> WeightedGram::reached(const std::vector<char>& from, int steps) const {
  // Samples of weight 0 are neither left nor entered.
  if (-extreme(shared_rows(), root_, -1.0) > 0.0) return gram_->reached(from, steps);
  return GramOperator::reached(from, steps);
}

std::unique_ptr<CrossKernel> WeightedGram::cross_kernel() const {
  return std::make_unique<WeightedCrossKernel>(gram_->cross_kernel(), root_);
}

class WeightedCrossKernel::Placed final : public DecoratedSamples {
 public:
  Placed(const WeightedCrossKernel& cross, const NewSamples& samples)
      : DecoratedSamples(cross.cross_->place(samples)), cross_(cross) {}

  Matrix apply(ConstMatrixRef c) const override {
    check_coefficients(cross_, c, "WeightedCrossKernel::apply");
    return inner_->apply_scaled(cross_.root_, c);
  }
  std::optional<Matrix> rows() const override {
    std::optional<Matrix> result = inner_->rows();
    if (result) *result *= cross_.root_.asDiagonal();
    return result;
  }
  // A new sample has weight 1.
  std::optional<Matrix> among() const override { return inner_->among(); }
  std::optional<Vector> diagonal() const override { return inner_->diagonal(); }
  bool sparse() const override { return inner_->sparse(); }

 private:
  const WeightedCrossKernel& cross_;
};

WeightedCrossKernel::WeightedCrossKernel(std::unique_ptr<CrossKernel> cross, Vector root)
    : DecoratedCrossKernel(std::move(cross)), root_(std::move(root)) {
  if (root_.size() != cross_->known()) {
    throw ShapeError(fmt::format("WeightedCrossKernel: {} weights for {} known samples",
                                 root_.size(), cross_->known()));
  }
}

std::unique_ptr<PlacedSamples> WeightedCrossKernel::place(const NewSamples& samples) const {
  return std::make_unique<Placed>(*this, samples);
}

void WeightedCrossKernel::save(CrossKernelSink& sink) const {
  sink.text("kind", "weighted");
  save_vector(sink, "root_weight", root_);
  sink.part("gram", *cross_);
}

std::unique_ptr<CrossKernel> load_weighted_cross_kernel(CrossKernelSource& source,
                                                        const CrossKernelRegistry& registry) {
  Vector root = load_vector(source, "root_weight");
  if (!root.allFinite() || (root.array() < 0.0).any()) {
    throw DataError("saved weights must be finite and not negative");
  }
  return std::make_unique<WeightedCrossKernel>(load_part(source, registry, "gram"),
                                               std::move(root));
}

Vector root_weights_at(const GramOperator& gram, std::span<const Index> samples) {
  const Vector* root = gram.root_weights();
  return root ? Vector(gather_samples(gram.shared_rows(), *root, samples)) : Vector();
}

Vector inverse_or_zero(const Vector& roots) {
  return roots.unaryExpr([](double root) { return root > 0.0 ? 1.0 / root : 0.0; });
}

}  // namespace stkr
