#include "shared_kernel_gram.hpp"

#include <algorithm>
#include <utility>

#include "gram/cross_kernels.hpp"
#include "gram/point_tiles.hpp"
#include "halo_operator.hpp"
#include "linop/operators.hpp"
#include "runtime/parallel.hpp"
#include "session.hpp"
#include "shared_model.hpp"
#include "shared_places.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

using Points = std::shared_ptr<const KnownPoints<double>>;

Points known_points(const Layout& samples, const SharedMatrix& points, const Kernel& kernel) {
  const Vector shift = kernel.euclidean() ? shared_shift(*samples, points) : Vector();
  Points known;
  agree(samples->comm(), [&] {
    known = std::make_shared<const KnownPoints<double>>(points, kernel, shift, samples->first(),
                                                        "points");
  });
  return known;
}

SpectrumBounds bounds_of(const RowLayout& samples, const KnownPoints<double>& points) {
  double diagonal = 0.0, square = 0.0;
  for (Index i = 0; i < points.count(); ++i) {
    if (points.kernel().positive_semidefinite()) diagonal += points.at_itself(i);
    square = std::max(square, points.squared_norms()[static_cast<std::size_t>(i)]);
  }
  Matrix largest = Matrix::Constant(1, 1, square);
  samples.largest(largest);
  return kernel_bounds(points.kernel(),
                       sum_over(&samples, diagonal) / static_cast<double>(samples.size()),
                       largest(0, 0));
}

// K(x, y); on a diagonal it is rounded.
Matrix values(const Kernel& kernel, PointRows<double> x, PointRows<double> y, int threads) {
  Matrix result(x.count, y.count);
  const Index width = tile_columns<double>(y.count, std::max<Index>(x.features, 1));
  for (Index j = 0; j < y.count; j += width) {
    const Index some = std::min(width, y.count - j);
    PackedPoints<double> packed;
    packed.pack(y.slice(j, some));
    parallel_chunks(x.count, tile_rows, threads, [&](Index begin, Index end) {
      evaluate_block(kernel, x.slice(begin, end - begin), packed,
                     result.block(begin, j, end - begin, some));
    });
  }
  return result;
}

std::shared_ptr<SharedNearest> nearest_of(const Layout& samples, const Points& points) {
  const auto point = [points](Index row) -> Eigen::RowVectorXd {
    return points->points().dense().as<double>().row(row);
  };
  const auto distance = [points](const SharedNearest::Point& x, const SharedNearest::Point& y) {
    const auto span = [](const SharedNearest::Point& p) {
      return std::span<const double>(p.data(), static_cast<std::size_t>(p.size()));
    };
    return points->kernel().distance(span(x), span(y));
  };
  return std::make_shared<SharedNearest>(samples, points->features(), point, distance);
}

class SharedPointCrossKernel final : public SharedCrossKernel {
 public:
  SharedPointCrossKernel(Layout samples, Points points,
                         std::shared_ptr<const SharedNearest> nearest)
      : samples_(std::move(samples)), points_(std::move(points)), nearest_(std::move(nearest)) {}

  Index known() const override { return points_->count(); }
  std::optional<Index> features() const override { return points_->features(); }
  std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                            std::span<const Index> among) const override {
    return nearest_->of_rows(samples, among);
  }

 private:
  // What PointCrossKernel::save writes.
  void save_shared(SharedKernelSink& sink) const override {
    const auto rows = points_->points().dense().as<double>();
    save_kernel(sink, points_->kernel(), /*sparse=*/false);
    sink.rows("points", *samples_, rows.cols(),
              std::span(rows.data(), static_cast<std::size_t>(rows.size())));
  }

  Layout samples_;
  Points points_;
  std::shared_ptr<const SharedNearest> nearest_;
};

}  // namespace

SharedKernelGram::SharedKernelGram(const Layout& samples, const SharedMatrix& points,
                                   const Kernel& kernel, SharedKernelOptions options)
    : SharedKernelGram(samples, known_points(samples, points, kernel), std::move(options)) {}

SharedKernelGram::SharedKernelGram(Layout samples, Points points, SharedKernelOptions options)
    : layout_(std::move(samples)),
      points_(std::move(points)),
      options_(std::move(options)),
      bounds_(bounds_of(*layout_, *points_)),
      nearest_(nearest_of(layout_, points_)),
      product_(std::make_shared<const SharedKernelOperator>(layout_, points_, options_.threads,
                                                            options_.cancel)),
      on_device_(device_operator(product_)) {
  nearest_->bring(options_.labeled);
}

bool SharedKernelGram::nonnegative() const { return points_->kernel().nonnegative(); }

// The points of some samples, which all processes list, in all of them.
KnownPoints<double>::Copied SharedKernelGram::gathered(std::span<const Index> samples) const {
  const Index features = points_->features();
  Matrix all = Matrix::Zero(static_cast<Index>(samples.size()), features + 1);
  std::vector<double> buffer;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Index row = layout_->local(samples[k]);
    if (row < 0) continue;
    const PointRows<double> point = points_->rows(row, 1, buffer);
    std::copy_n(point.data, features, all.row(static_cast<Index>(k)).data());
    all(static_cast<Index>(k), features) = *point.squared_norms;
  }
  layout_->sum(all);
  KnownPoints<double>::Copied result;
  result.dense = all.leftCols(features);
  result.squared_norms.assign(all.col(features).begin(), all.col(features).end());
  return result;
}

Matrix SharedKernelGram::columns(std::span<const Index> samples) const {
  check_block_indices(*this, {}, samples, "SharedKernelGram::columns");
  std::vector<double> buffer;
  Matrix result = values(points_->kernel(), points_->rows(0, points_->count(), buffer),
                         gathered(samples).rows(), options_.threads);
  for (std::size_t j = 0; j < samples.size(); ++j) {
    const Index row = layout_->local(samples[j]);
    if (row >= 0) result(row, static_cast<Index>(j)) = points_->at_itself(row);
  }
  return result;
}

Matrix SharedKernelGram::block(std::span<const Index> rows, std::span<const Index> columns) const {
  check_block_indices(*this, rows, columns, "SharedKernelGram::block");
  const KnownPoints<double>::Copied of_columns = gathered(columns);
  const KnownPoints<double>::Copied own = points_->gather(local_samples(layout_.get(), rows));
  const Matrix found = values(points_->kernel(), own.rows(), of_columns.rows(), options_.threads);
  Matrix result = Matrix::Zero(static_cast<Index>(rows.size()), found.cols());
  Index next = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Index row = layout_->local(rows[i]);
    if (row < 0) continue;
    const auto to = static_cast<Index>(i);
    result.row(to) = found.row(next++);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (rows[i] == columns[j]) result(to, static_cast<Index>(j)) = points_->at_itself(row);
    }
  }
  layout_->sum(result);
  return result;
}

std::unique_ptr<LinearOperator> SharedKernelGram::restricted(std::vector<Index> samples,
                                                             double scale) const {
  const auto part =
      std::make_shared<const RowLayout>(layout_->comm(), static_cast<Index>(samples.size()));
  const double factor = scale * static_cast<double>(part->size()) / static_cast<double>(size());
  SharedKernelOptions options = options_;
  options.labeled.clear();
  std::shared_ptr<const SharedKernelGram> smaller(new SharedKernelGram(
      part, std::make_shared<const KnownPoints<double>>(points_->chosen(samples)), options));
  return std::make_unique<ScaledOperator>(std::move(smaller), factor, options_.threads);
}

std::optional<std::vector<Index>> SharedKernelGram::nearest(std::span<const Index> samples,
                                                            std::span<const Index> among) const {
  return nearest_->of_samples(samples, among);
}

std::unique_ptr<CrossKernel> SharedKernelGram::cross_kernel() const {
  return std::make_unique<SharedPointCrossKernel>(layout_, points_, nearest_);
}

}  // namespace stkr::petsc
