#include "gram/centered_gram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cross_kernels.hpp"
#include "gram/gram_cost.hpp"
#include "linop/device_operator.hpp"
#include "runtime/byte_count.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

KnownEigenspace constant(Index size) {
  return KnownEigenspace(0.0, 1, std::vector<std::int32_t>(size, 0), Vector::Ones(size));
}

// P x = x - 1·mean(x), column by column.
Matrix without_mean(ConstMatrixRef x) {
  const Eigen::RowVectorXd mean = x.colwise().sum() / static_cast<double>(x.rows());
  return x.rowwise() - mean;
}

}  // namespace

CenteredGram::CenteredGram(std::unique_ptr<GramOperator> gram)
    : DecoratedGram(std::move(gram), "CenteredGram"),
      mean_(product(*gram_, Matrix::Ones(gram_->size(), 1)).col(0)),  // S 1 = K 1/N
      grand_mean_(mean_.mean()),
      constant_(constant(gram_->size())) {}

void CenteredGram::apply(ConstMatrixRef x, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "CenteredGram::apply");
  gram_->apply(without_mean(x), y);
  y = without_mean(y);
}

std::shared_ptr<const DeviceOperator> CenteredGram::on_device() const {
  const auto device = gram_->on_device();
  return device ? device->projected(constant_, 1) : nullptr;
}

Matrix CenteredGram::block(std::span<const Index> rows, std::span<const Index> columns) const {
  Matrix result = gram_->block(rows, columns);
  for (Index i = 0; i < result.rows(); ++i) {
    for (Index j = 0; j < result.cols(); ++j) {
      result(i, j) += grand_mean_ - mean_[rows[i]] - mean_[columns[j]];
    }
  }
  return result;
}

SpectrumBounds CenteredGram::bounds() const {
  // P S P has the eigenvalue 0 of the constant vector and otherwise Rayleigh quotients of S.
  SpectrumBounds bounds = gram_->bounds();
  bounds.lower = std::min(bounds.lower, 0.0);
  bounds.upper = std::max(bounds.upper, 0.0);
  return bounds;
}

std::unique_ptr<CrossKernel> CenteredGram::cross_kernel() const {
  return std::make_unique<CenteredCrossKernel>(gram_->cross_kernel(), mean_, grand_mean_);
}

CenteredCrossKernel::CenteredCrossKernel(std::unique_ptr<CrossKernel> cross, Vector mean,
                                         double grand_mean)
    : DecoratedCrossKernel(std::move(cross)), mean_(std::move(mean)), grand_mean_(grand_mean) {
  if (mean_.size() != cross_->known()) {
    throw ShapeError(fmt::format("CenteredCrossKernel: {} means for {} known samples", mean_.size(),
                                 cross_->known()));
  }
}

class CenteredCrossKernel::Placed final : public DecoratedSamples {
 public:
  Placed(const CenteredCrossKernel& cross, const NewSamples& samples)
      : DecoratedSamples(cross.cross_->place(samples)), cross_(cross) {}

  Matrix apply(ConstMatrixRef c) const override {
    check_coefficients(cross_, c, "CenteredCrossKernel::apply");
    // Σ_j K̃(x, x_j) c_j = K(x, ·)(c - 1·mean(c)) - Σ_j (mean_j - grand mean) c_j: one product, and
    // the same constant for every new sample. The mean of a new row includes its self term.
    Matrix result = inner_->apply(without_mean(c));
    const Vector offset = mean_offset();
    const Eigen::RowVectorXd constant_term = offset.transpose().lazyProduct(c);
    result.rowwise() -= constant_term;
    return result;
  }
  std::optional<Matrix> rows() const override {
    std::optional<Matrix> result = inner_->rows();
    if (!result) return std::nullopt;
    const Vector own = result->rowwise().mean();
    result->colwise() -= own;
    result->rowwise() -= mean_offset().transpose();
    return result;
  }
  // K̃° = K° - m(x) - m(x') + grand mean - 2δ, m the means of the rows without δ: P K P has the
  // diagonal part δ, and the rest of it, -δ 1 1ᵀ, is shared.
  std::optional<Matrix> among() const override {
    std::optional<Matrix> result = inner_->among();
    if (!result) return std::nullopt;
    const Vector own = row_means();
    result->colwise() -= own;
    result->rowwise() -= own.transpose();
    result->array() += cross_.grand_mean_ - 2.0 * cross_.self_term();
    return result;
  }
  std::optional<Vector> diagonal() const override {
    std::optional<Vector> result = inner_->diagonal();
    if (!result) return std::nullopt;
    *result -= 2.0 * row_means();
    result->array() += cross_.grand_mean_ - 2.0 * cross_.self_term();
    return result;
  }

 private:
  Vector mean_offset() const {
    return cross_.mean_.array() - cross_.grand_mean_ + cross_.self_term();
  }
  Vector row_means() const {
    const auto n = static_cast<double>(cross_.known());
    return inner_->apply(Matrix::Constant(cross_.known(), 1, 1.0 / n)).col(0);
  }

  const CenteredCrossKernel& cross_;
};

std::unique_ptr<PlacedSamples> CenteredCrossKernel::place(const NewSamples& samples) const {
  return std::make_unique<Placed>(*this, samples);
}

void CenteredCrossKernel::save(CrossKernelSink& sink) const {
  sink.text("kind", "centred");  // spelled as in older models
  sink.number("grand_mean", grand_mean_);
  save_vector(sink, "mean", mean_);
  sink.part("gram", *cross_);
}

std::unique_ptr<CrossKernel> load_centered_cross_kernel(CrossKernelSource& source,
                                                        const CrossKernelRegistry& registry) {
  Vector mean = load_vector(source, "mean");
  const double grand_mean = source.number("grand_mean");
  if (!mean.allFinite() || !std::isfinite(grand_mean)) {
    throw DataError("saved centered kernel: the means are not finite");
  }
  return std::make_unique<CenteredCrossKernel>(load_part(source, registry, "gram"), std::move(mean),
                                               grand_mean);
}

GramCost centered_gram_cost(Index samples) {
  return {.gram = byte_count(samples, 16.0), .scratch = 1};
}

}  // namespace stkr
