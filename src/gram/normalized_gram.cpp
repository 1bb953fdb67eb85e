#include "gram/normalized_gram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cross_kernels.hpp"
#include "gram/gram_cost.hpp"
#include "linop/operators.hpp"
#include "runtime/byte_count.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// Throws for the first sample whose degree is not a number ≥ 0, in all processes that share rows.
void check_degrees(const SharedRows* rows, const Vector& degree) {
  const auto bad = std::find_if(degree.begin(), degree.end(),
                                [](double d) { return !std::isfinite(d) || d < 0.0; });
  const Index first = rows ? rows->first() : 0;
  // The lowest number, negated: of all processes, the largest counts.
  Matrix number =
      Matrix::Constant(1, 1,
                       bad == degree.end() ? -std::numeric_limits<double>::infinity()
                                           : -static_cast<double>(first + (bad - degree.begin())));
  largest_over(rows, number);
  if (std::isinf(number(0, 0))) return;
  const auto sample = static_cast<Index>(-number(0, 0));
  const Index own = rows ? rows->local(sample) : sample;
  const double found = sum_over(rows, own >= 0 ? degree[own] : 0.0);
  if (!std::isfinite(found)) {
    throw ValueError(
        fmt::format("the mean kernel value of sample {} is {}, because kernel "
                    "values are not finite or their sum overflows; rescale the features, or "
                    "divide the kernel by its largest value",
                    sample, found));
  }
  throw ValueError(
      fmt::format("the mean kernel value of sample {} is {}; only kernels with "
                  "non-negative row sums have degrees (rbf, matern, laplacian, graphs), so "
                  "choose one of those or omit the normalization",
                  sample, found));
}

Vector degrees(const GramOperator& gram) {
  if (gram.self_term() != 0.0) {
    throw ValueError(
        "normalization: a kernel with a self term, such as a lazy walk, is already normalized; "
        "omit the normalization");
  }
  // d = S 1 = K 1/N
  Vector degree = product(gram, Matrix::Ones(gram.local_size(), 1)).col(0);
  check_degrees(gram.shared_rows(), degree);
  return degree;
}

Vector inverse_roots(const Vector& degree) {
  return degree.unaryExpr([](double d) { return d > 0.0 ? 1.0 / std::sqrt(d) : 0.0; });
}

KnownEigenspace root_degree(const SharedRows* rows, const Vector& degree) {
  std::vector<std::int32_t> group(degree.size(), -1);
  bool some = false;
  for (Index i = 0; i < degree.size(); ++i) {
    if (degree[i] > 0.0) group[i] = 0;
    some = some || degree[i] > 0.0;
  }
  if (!rows) return KnownEigenspace(1.0, some ? 1 : 0, std::move(group), degree.cwiseSqrt());
  const Index groups = any_over(rows, some) ? 1 : 0;
  const double total = sum_over(rows, degree.sum());
  return KnownEigenspace::of_shared_rows(
      1.0, groups, groups, std::move(group),
      groups > 0 ? Vector((degree / total).cwiseSqrt()) : degree);
}

}  // namespace

NormalizedGram::NormalizedGram(std::unique_ptr<GramOperator> gram)
    : DecoratedGram(std::move(gram), "NormalizedGram"),
      degree_(stkr::degrees(*gram_)),
      inverse_root_(inverse_roots(degree_)),
      root_degree_(root_degree(gram_->shared_rows(), degree_)) {}

void NormalizedGram::apply(ConstMatrixRef x, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "NormalizedGram::apply");
  Matrix scaled(x.rows(), x.cols());
  scale_rows(inverse_root_, x, scaled, 1);
  gram_->apply(scaled, y);
  scale_rows(inverse_root_, y, y, 1);
}

std::shared_ptr<const DeviceOperator> NormalizedGram::on_device() const {
  const auto device = gram_->on_device();
  return device ? device->diagonally_scaled(inverse_root_, Matrix(), 1) : nullptr;
}

// The factors of some samples, which may be in other processes.
Vector NormalizedGram::factors(std::span<const Index> samples) const {
  return gather_samples(shared_rows(), inverse_root_, samples).col(0);
}

Matrix NormalizedGram::block(std::span<const Index> rows, std::span<const Index> columns) const {
  Matrix result = gram_->block(rows, columns);
  const Vector of_rows = factors(rows), of_columns = factors(columns);
  for (Index i = 0; i < result.rows(); ++i) {
    for (Index j = 0; j < result.cols(); ++j) result(i, j) *= of_rows[i] * of_columns[j];
  }
  return result;
}

Matrix NormalizedGram::columns(std::span<const Index> samples) const {
  Matrix result = gram_->columns(samples);
  const Vector of_columns = factors(samples);
  for (Index i = 0; i < result.rows(); ++i) {
    for (Index j = 0; j < result.cols(); ++j) result(i, j) *= inverse_root_[i] * of_columns[j];
  }
  return result;
}

std::unique_ptr<LinearOperator> NormalizedGram::restricted(std::vector<Index> samples,
                                                           double scale) const {
  check_block_indices(*this, samples, {}, "NormalizedGram::restricted");
  Vector weights(static_cast<Index>(samples.size()));
  for (std::size_t k = 0; k < samples.size(); ++k) weights[k] = inverse_root_[samples[k]];
  return std::make_unique<DiagonalScaling>(gram_->restricted(std::move(samples), scale),
                                           std::move(weights));
}

SpectrumBounds NormalizedGram::bounds() const {
  SpectrumBounds bounds;
  // If K ≥ 0, D^-1 S is a Markov chain.
  if (gram_->nonnegative()) bounds = {-1.0, 1.0};
  // A congruence preserves the sign of every eigenvalue.
  if (gram_->bounds().lower >= 0.0) bounds.lower = 0.0;
  return bounds;
}

std::unique_ptr<CrossKernel> NormalizedGram::cross_kernel() const {
  return std::make_unique<NormalizedCrossKernel>(gram_->cross_kernel(), inverse_root_);
}

NormalizedCrossKernel::NormalizedCrossKernel(std::unique_ptr<CrossKernel> cross,
                                             Vector inverse_root)
    : DecoratedCrossKernel(std::move(cross)),
      inverse_root_(std::move(inverse_root)),
      mean_(Matrix::Constant(inverse_root_.size(), 1,
                             1.0 / static_cast<double>(inverse_root_.size()))) {
  if (inverse_root_.size() != cross_->known()) {
    throw ShapeError(fmt::format("NormalizedCrossKernel: {} degrees for {} known samples",
                                 inverse_root_.size(), cross_->known()));
  }
}

class NormalizedCrossKernel::Placed final : public DecoratedSamples {
 public:
  Placed(const NormalizedCrossKernel& cross, const NewSamples& samples)
      : DecoratedSamples(cross.cross_->place(samples)), cross_(cross) {}

  Matrix apply(ConstMatrixRef c) const override {
    check_coefficients(cross_, c, "NormalizedCrossKernel::apply");
    Matrix result, degrees;
    if (inner_->sparse()) {
      result = inner_->apply_scaled(cross_.inverse_root_, c);
      degrees = inner_->apply(cross_.mean_);
    } else {
      // K(x, ·) [D^-1/2 c, 1/N]: the last column is d(x), so kernel rows are evaluated once.
      Matrix extended(c.rows(), c.cols() + 1);
      extended << cross_.inverse_root_.asDiagonal() * c, cross_.mean_;
      const Matrix product = inner_->apply(extended);
      result = product.leftCols(c.cols());
      degrees = product.rightCols(1);
    }
    const Vector scale = inverse_root_of(degrees.col(0));
    for (Index i = 0; i < result.rows(); ++i) result.row(i) *= scale[i];
    return result;
  }
  std::optional<Matrix> rows() const override {
    std::optional<Matrix> result = inner_->rows();
    if (!result) return std::nullopt;
    *result *= cross_.inverse_root_.asDiagonal();
    *result = row_scale().asDiagonal() * *result;
    return result;
  }
  std::optional<Matrix> among() const override {
    std::optional<Matrix> result = inner_->among();
    if (!result) return std::nullopt;
    const Vector scale = row_scale();
    return Matrix(scale.asDiagonal() * *result * scale.asDiagonal());
  }
  std::optional<Vector> diagonal() const override {
    std::optional<Vector> result = inner_->diagonal();
    if (result) result->array() *= row_scale().array().square();
    return result;
  }
  bool sparse() const override { return inner_->sparse(); }

 private:
  // d(x)^-1/2 of the new samples
  Vector row_scale() const { return inverse_root_of(inner_->apply(cross_.mean_).col(0)); }
  static Vector inverse_root_of(const Vector& degrees) {
    for (Index i = 0; i < degrees.size(); ++i) {
      const double degree = degrees[i];
      if (!(degree >= 0.0) || !std::isfinite(degree)) {
        throw ValueError(
            fmt::format("the mean kernel value of new sample {} is "
                        "{}; it must be finite and not negative, as for the known samples, so pass "
                        "the new samples in the same units",
                        i, degree));
      }
    }
    return inverse_roots(degrees);
  }

  const NormalizedCrossKernel& cross_;
};

std::unique_ptr<PlacedSamples> NormalizedCrossKernel::place(const NewSamples& samples) const {
  return std::make_unique<Placed>(*this, samples);
}

void NormalizedCrossKernel::save(CrossKernelSink& sink) const {
  sink.text("kind", "normalized");
  save_vector(sink, "inverse_root_degree", inverse_root_);
  sink.part("gram", *cross_);
}

std::unique_ptr<CrossKernel> load_normalized_cross_kernel(CrossKernelSource& source,
                                                          const CrossKernelRegistry& registry) {
  Vector inverse_root = load_vector(source, "inverse_root_degree");
  if (!inverse_root.allFinite() || (inverse_root.array() < 0.0).any()) {
    throw DataError("saved normalized kernel: degrees must be finite and not negative");
  }
  return std::make_unique<NormalizedCrossKernel>(load_part(source, registry, "gram"),
                                                 std::move(inverse_root));
}

GramCost normalized_gram_cost(Index samples) {
  return {.gram = byte_count(samples, 36.0), .scratch = 1};
}

}  // namespace stkr
