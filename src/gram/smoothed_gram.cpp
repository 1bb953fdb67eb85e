#include "gram/smoothed_gram.hpp"

#include <algorithm>
#include <utility>

#include "cross_kernels.hpp"
#include "gram/decorated_cross_kernel.hpp"
#include "gram/gram_cost.hpp"
#include "runtime/byte_count.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// Rows of Φ that are held densely at a time.
constexpr Index block_rows = 64;

class PlacedSmoothed final : public PlacedSamples {
 public:
  PlacedSmoothed(const CrossKernel& cross, const SmoothedFeatures& features,
                 const NewSamples& samples)
      : cross_(cross), features_(features), nodes_(features.place(samples, "new nodes")) {}

  Matrix apply(ConstMatrixRef c) const override {
    check_coefficients(cross_, c, "SmoothedCrossKernel::apply");
    return features_.multiply(nodes_, features_.multiply_transposed(c));
  }
  std::optional<Matrix> rows() const override {
    const Matrix phi = features_.rows(nodes_).transpose();
    Matrix transposed(features_.size(), phi.cols());
    features_.multiply(phi, transposed);
    return Matrix(transposed.transpose());
  }
  std::optional<Matrix> among() const override {
    const Matrix phi = features_.rows(nodes_);
    return Matrix(phi * phi.transpose());
  }
  std::optional<Vector> diagonal() const override {
    return Vector(features_.rows(nodes_).rowwise().squaredNorm());
  }

 private:
  const CrossKernel& cross_;
  const SmoothedFeatures& features_;
  SmoothedFeatures::NewNodes nodes_;
};

class SmoothedCrossKernel final : public CrossKernel {
 public:
  explicit SmoothedCrossKernel(std::shared_ptr<const SmoothedFeatures> features)
      : features_(std::move(features)) {}

  Index known() const override { return features_->size(); }
  std::optional<Index> features() const override { return features_->features(); }
  std::unique_ptr<PlacedSamples> place(const NewSamples& samples) const override {
    return std::make_unique<PlacedSmoothed>(*this, *features_, samples);
  }
  void save(CrossKernelSink& sink) const override {
    sink.text("kind", "smoothed");
    features_->save(sink);
  }

 private:
  std::shared_ptr<const SmoothedFeatures> features_;
};

// New nodes as the points φ(x).
class PlacedSmoothedPoints final : public PlacedSamples {
 public:
  PlacedSmoothedPoints(const CrossKernel& cross, Matrix points)
      : points_{std::move(points)}, placed_(cross.place(points_)) {}

  Matrix apply(ConstMatrixRef c) const override { return placed_->apply(c); }
  Matrix apply_scaled(const Vector& scale, ConstMatrixRef c) const override {
    return placed_->apply_scaled(scale, c);
  }
  std::optional<Matrix> rows() const override { return placed_->rows(); }
  std::optional<Matrix> among() const override { return placed_->among(); }
  std::optional<Vector> diagonal() const override { return placed_->diagonal(); }
  bool sparse() const override { return placed_->sparse(); }
  std::optional<Twins> twins() const override { return placed_->twins(); }
  std::optional<std::vector<Index>> nearest(std::span<const Index> among) const override {
    return placed_->nearest(among);
  }

 private:
  NewSamples points_;
  std::unique_ptr<PlacedSamples> placed_;
};

class SmoothedPointCrossKernel final : public DecoratedCrossKernel {
 public:
  SmoothedPointCrossKernel(std::unique_ptr<CrossKernel> cross,
                           std::shared_ptr<const SmoothedFeatures> features)
      : DecoratedCrossKernel(std::move(cross)), features_(std::move(features)) {
    if (cross_->known() != features_->size() || cross_->features() != features_->features()) {
      throw ShapeError("SmoothedPointCrossKernel: the points are not those of the features");
    }
  }

  std::unique_ptr<PlacedSamples> place(const NewSamples& samples) const override {
    return std::make_unique<PlacedSmoothedPoints>(
        *cross_, features_->rows(features_->place(samples, "new nodes")));
  }
  void save(CrossKernelSink& sink) const override {
    sink.text("kind", "smoothed_points");
    features_->save(sink);
    sink.part("points", *cross_);
  }

 private:
  std::shared_ptr<const SmoothedFeatures> features_;
};

}  // namespace

SmoothedGram::SmoothedGram(std::shared_ptr<const SmoothedFeatures> features)
    : features_(std::move(features)) {
  if (!features_) throw ValueError("SmoothedGram: the features are null");
}

void SmoothedGram::apply(ConstMatrixRef x, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "SmoothedGram::apply");
  // A few columns at a time: there may be more features than samples.
  constexpr Index columns = 32;
  for (Index first = 0; first < x.cols(); first += columns) {
    const Index count = std::min(columns, x.cols() - first);
    const Matrix v =
        features_->multiply_transposed(x.middleCols(first, count)) / static_cast<double>(size());
    features_->multiply(v, y.middleCols(first, count));
  }
}

Matrix SmoothedGram::block(std::span<const Index> rows, std::span<const Index> columns) const {
  check_block_indices(*this, rows, columns, "SmoothedGram::block");
  if (rows.size() < columns.size()) return block(columns, rows).transpose();
  Matrix result(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  const bool few = result.rows() <= block_rows;
  const Matrix left = few ? features_->rows(rows) : Matrix();
  Matrix all(few ? 0 : size(), few ? 0 : std::min(block_rows, result.cols()));
  for (Index first = 0; first < result.cols(); first += block_rows) {
    const Index count = std::min(block_rows, result.cols() - first);
    const Matrix right = features_->rows(columns.subspan(first, count));
    if (few) {
      result.middleCols(first, count) = left * right.transpose();
      continue;
    }
    // Many rows of Φ cost more than a product with all of it.
    const Matrix v = right.transpose();
    features_->multiply(v, all.leftCols(count));
    for (Index i = 0; i < result.rows(); ++i) {
      result.row(i).segment(first, count) = all.row(rows[i]).head(count);
    }
  }
  return result;
}

SpectrumBounds SmoothedGram::bounds() const {
  return {0.0, features_->squared_norm_bound() / static_cast<double>(size())};
}

std::unique_ptr<CrossKernel> SmoothedGram::cross_kernel() const {
  return std::make_unique<SmoothedCrossKernel>(features_);
}

SmoothedPointGram::SmoothedPointGram(std::unique_ptr<GramOperator> gram,
                                     std::shared_ptr<const SmoothedFeatures> features)
    : DecoratedGram(std::move(gram), "SmoothedPointGram"), features_(std::move(features)) {}

std::unique_ptr<CrossKernel> SmoothedPointGram::cross_kernel() const {
  return std::make_unique<SmoothedPointCrossKernel>(gram_->cross_kernel(), features_);
}

std::unique_ptr<CrossKernel> load_smoothed_cross_kernel(CrossKernelSource& source,
                                                        const CrossKernelRegistry&) {
  return std::make_unique<SmoothedCrossKernel>(SmoothedFeatures::load(source));
}

std::unique_ptr<CrossKernel> load_smoothed_point_cross_kernel(CrossKernelSource& source,
                                                              const CrossKernelRegistry& registry) {
  auto features = SmoothedFeatures::load(source);
  return std::make_unique<SmoothedPointCrossKernel>(load_part(source, registry, "points"),
                                                    std::move(features));
}

GramCost smoothed_gram_cost(const PointShape& features, Index entries, Index steps) {
  const Index samples = features.samples;
  const Index values =
      features.entries > 0 ? features.entries : features.samples * features.features;
  const Index edges = steps > 0 ? entries : 0;
  GramCost cost;
  // X, its transpose and S̃; degrees, scales and row counts.
  cost.samples = byte_count(values, 24.0) + byte_count(edges + samples, 12.0) +
                 byte_count(samples, 24.0) + byte_count(features.features, 8.0);
  cost.gram = byte_count(samples, 24.0);
  cost.preparing = byte_count(edges + values, 12.0) + block_byte_count(samples, 64.0);
  // A few columns at a time, of N × 32 and p × 32; rows of Φ for blocks of K.
  cost.gram +=
      block_byte_count(samples, 4.0 * 32.0) + block_byte_count(features.features, 4.0 * 64.0);
  // Products with X and its transpose, and on each side with the graph and its self-loops.
  cost.entries = 2 * (values + steps * (entries + samples));
  return cost;
}

GramCost smoothed_point_gram_cost(const PointShape& features, Index entries, Index steps,
                                  bool single_precision, Tiles tiles) {
  GramCost cost = point_gram_cost({features.samples, features.features}, single_precision, tiles);
  const GramCost smoothing = smoothed_gram_cost(features, entries, steps);
  cost.samples += smoothing.samples;
  cost.gram += smoothing.gram;
  cost.preparing += smoothing.preparing;
  return cost;
}

}  // namespace stkr
