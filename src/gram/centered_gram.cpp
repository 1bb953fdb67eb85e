#include "gram/centered_gram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cross_kernels.hpp"
#include "gram/gram_cost.hpp"
#include "linop/device_operator.hpp"
#include "linop/operators.hpp"
#include "runtime/byte_count.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

KnownEigenspace constant(const SharedRows* rows, Index size) {
  if (!rows) return KnownEigenspace(0.0, 1, std::vector<std::int32_t>(size, 0), Vector::Ones(size));
  const Vector weight = Vector::Constant(rows->count(), 1.0 / std::sqrt(static_cast<double>(size)));
  return KnownEigenspace::of_shared_rows(
      0.0, 1, 1, std::vector<std::int32_t>(static_cast<std::size_t>(rows->count()), 0), weight);
}

// P x = x - 1·mean(x), column by column. `rows`: x has those of this process.
Matrix without_mean(ConstMatrixRef x, const SharedRows* rows = nullptr) {
  Matrix mean = x.colwise().sum();
  sum_over(rows, mean);
  mean /= static_cast<double>(rows ? rows->size() : x.rows());
  return x.rowwise() - mean.row(0);
}

// Adds an offset per row and one per column; symmetric in every bit if both are the same.
void center(const Vector& rows, const Vector& columns, Matrix& values) {
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < values.cols(); ++j) values(i, j) += rows[i] + columns[j];
  }
}

}  // namespace

CenteredGram::CenteredGram(std::unique_ptr<GramOperator> gram)
    : DecoratedGram(std::move(gram), "CenteredGram"),
      mean_(product(*gram_, Matrix::Ones(gram_->local_size(), 1)).col(0)),  // S 1 = K 1/N
      grand_mean_(sum_over(shared_rows(), mean_.sum()) / static_cast<double>(gram_->size())),
      constant_(constant(shared_rows(), gram_->size())) {}

void CenteredGram::apply(ConstMatrixRef x, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "CenteredGram::apply");
  gram_->apply(without_mean(x, shared_rows()), y);
  y = without_mean(y, shared_rows());
}

std::shared_ptr<const DeviceOperator> CenteredGram::on_device() const {
  const auto device = gram_->on_device();
  return device ? device->projected(constant_, 1) : nullptr;
}

Matrix CenteredGram::block(std::span<const Index> rows, std::span<const Index> columns) const {
  Matrix result = gram_->block(rows, columns);
  center(offsets_at(rows), offsets_at(columns), result);
  return result;
}

Matrix CenteredGram::columns(std::span<const Index> samples) const {
  Matrix result = gram_->columns(samples);
  center(0.5 * grand_mean_ - mean_.array(), offsets_at(samples), result);
  return result;
}

std::unique_ptr<LinearOperator> CenteredGram::restricted(std::vector<Index> samples,
                                                         double scale) const {
  // N·EᵀS̃E = N·EᵀSE - m 1ᵀ - 1 mᵀ + g 1 1ᵀ = N·EᵀSE + (p pᵀ - q qᵀ)/2 with p, q = u 1 ∓ a/u,
  // a = m - g/2·1; u makes both parts of p about as large, so that none is lost in the other.
  const Vector a = gather_rows(mean_, samples).array() - 0.5 * grand_mean_;
  Matrix most = Matrix::Zero(1, 1);
  if (a.size() > 0) most(0, 0) = a.cwiseAbs().maxCoeff();
  largest_over(shared_rows(), most);
  const double u = most(0, 0) > 0.0 ? std::sqrt(most(0, 0)) : 1.0;
  auto v = std::make_shared<Matrix>(a.size(), 2);
  v->col(0) = u - a.array() / u;
  v->col(1) = u + a.array() / u;
  Vector factors(2);
  factors << 0.5, -0.5;
  factors *= scale / static_cast<double>(size());
  return std::make_unique<LowRankSum>(gram_->restricted(std::move(samples), scale), std::move(v),
                                      std::move(factors));
}

Vector CenteredGram::offsets_at(std::span<const Index> samples) const {
  return 0.5 * grand_mean_ - gather_samples(shared_rows(), mean_, samples).col(0).array();
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
