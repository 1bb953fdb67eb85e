#include "handle_backend.hpp"

#include <algorithm>
#include <memory>

#include "device/device_operator_template.hpp"
#include "handle_block.hpp"
#include "kernel/neighbor_scan.hpp"
#include "linop/csr_operator.hpp"
#include "linop/device_backend.hpp"
#include "stkr/gram/point_gram.hpp"
#include "stkr/kernel/nearest_neighbors.hpp"

namespace stkr::handle {
namespace {

constexpr Index kMostNeighbors = 64;  // the host searches for more

// An operator of the host, whose rough products are in single precision.
class OwningOperator : public BasicLinearOperator<Block> {
 public:
  OwningOperator(Device& device, std::unique_ptr<const LinearOperator> op)
      : device_(device), op_(std::move(op)) {}

  Index size() const override { return op_->size(); }
  Block new_block(Index columns) const override { return Block(device_, size(), columns); }
  void apply(ConstView x, View y) const override { op_->apply(Access::in(x), Access::out(y)); }
  void apply_roughly(ConstView x, View y) const override {
    apply(x, y);
    MatrixRef out = Access::out(y);
    out = out.cast<float>().cast<double>().eval();
  }
  RoughProducts rough() const override { return {0x1p-24, "fp32"}; }

 private:
  Device& device_;
  std::unique_ptr<const LinearOperator> op_;
};

std::shared_ptr<const DeviceOperator> on(Device& device, std::unique_ptr<const LinearOperator> op) {
  return std::make_shared<const DeviceOperatorOf<Block>>(
      std::make_shared<const OwningOperator>(device, std::move(op)));
}

class Points : public DevicePoints {
 public:
  Points(Device& device, Matrix points, const Kernel& kernel)
      : device_(device), points_(std::move(points)), kernel_(kernel) {}

  std::shared_ptr<const DeviceOperator> gram() const override {
    return on(device_, std::make_unique<PointGram<double>>(points_, kernel_, 1));
  }
  Matrix cross_product(const PointsView& fresh, ConstMatrixRef c) const override {
    const PointGram<double> gram(points_, kernel_, 1);
    const auto cross = gram.cross_kernel();
    return cross->place({matrix_of(fresh)})->apply(c);
  }

  static Matrix matrix_of(const PointsView& points) {
    if (points.full) return Eigen::Map<const Matrix>(points.full, points.count, points.features);
    return Eigen::Map<const MatrixF>(points.single, points.count, points.features).cast<double>();
  }

 private:
  Device& device_;
  Matrix points_;
  Kernel kernel_;
};

class SearchedPoints : public DeviceNeighbors {
 public:
  explicit SearchedPoints(const PointsView& points)
      : points_(Eigen::Map<const MatrixF>(points.single, points.count, points.features)) {}

  Neighbors among_themselves(Index k) const override {
    return search(points_.data(), points_.rows(), k, /*themselves=*/true);
  }
  Neighbors of(const PointsView& queries, Index k) const override {
    return search(queries.single, queries.count, k, /*themselves=*/false);
  }
  ReachedBy reaching(const PointsView& queries, const Vector& reach) const override {
    ReachedBy result{{0}, {}, {}};
    for (Index q = 0; q < queries.count; ++q) {
      for (std::int32_t j = 0; j < points_.rows(); ++j) {
        const double apart =
            distance(queries.single + q * points_.cols(), points_.row(j).data(), points_.cols());
        if (apart > reach[j]) continue;
        result.index.push_back(j);
        result.distance.push_back(apart);
      }
      result.row_start.push_back(static_cast<std::int64_t>(result.index.size()));
    }
    return result;
  }

 private:
  Neighbors search(const float* queries, Index count, Index k, bool themselves) const {
    Neighbors result{count, k, std::vector<std::int32_t>(count * k, -1),
                     std::vector<double>(count * k, 0.0)};
    for (Index q = 0; q < count; ++q) {
      std::vector<std::pair<double, std::int32_t>> all;
      for (std::int32_t j = 0; j < points_.rows(); ++j) {
        if (themselves && j == q) continue;
        all.emplace_back(
            distance(queries + q * points_.cols(), points_.row(j).data(), points_.cols()), j);
      }
      std::sort(all.begin(), all.end());
      for (Index r = 0; r < std::min<Index>(k, static_cast<Index>(all.size())); ++r) {
        result.distance[q * k + r] = all[r].first;
        result.index[q * k + r] = all[r].second;
      }
    }
    return result;
  }

  MatrixF points_;
};

class Backend : public DeviceBackend {
 public:
  std::shared_ptr<const DeviceOperator> sparse(const CsrMatrix& a, double diagonal) const override {
    return on(device_, std::make_unique<CsrOperator>(a, diagonal, 1));
  }
  std::unique_ptr<const DevicePoints> points(const PointsView& points,
                                             const Kernel& kernel) const override {
    return std::make_unique<Points>(device_, Points::matrix_of(points), kernel);
  }

  std::unique_ptr<const DeviceNeighbors> neighbors(const PointsView& points, Index k,
                                                   std::stop_token) const override {
    if (k > kMostNeighbors) return nullptr;
    return std::make_unique<SearchedPoints>(points);
  }

  std::uint64_t free_bytes() const override { return std::uint64_t{1} << 30; }
  std::uint64_t sparse_bytes(Index rows, std::int64_t entries) const override {
    return static_cast<std::uint64_t>(8 * rows + 12 * entries);
  }
  std::uint64_t point_bytes(Index points, Index features, bool) const override {
    return static_cast<std::uint64_t>(8 * points * features);
  }
  std::uint64_t block_bytes(Index rows, Index columns) const override {
    return static_cast<std::uint64_t>(8 * rows * columns);
  }
  std::uint64_t neighbor_bytes(Index points, Index features, Index k) const override {
    return static_cast<std::uint64_t>(4 * points * (features + k));
  }

 private:
  mutable Device device_;
};

}  // namespace

stkr::Device test_device() {
  static const Backend backend;
  return {backend, "handle"};
}

}  // namespace stkr::handle
