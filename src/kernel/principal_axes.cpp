#include "kernel/principal_axes.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>

#include "kernel/point_shift.hpp"
#include "runtime/byte_count.hpp"
#include "runtime/parallel.hpp"
#include "runtime/random.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

constexpr Index kMostSampled = 5000;
constexpr Index kMoreDirections = 14;  // than wanted: they speed up convergence
constexpr int kSubspaceRounds = 12;

Vector mean_point(const SharedMatrix& points) {
  Vector mean = Vector::Zero(points.cols());
  points.visit([&](const auto& values) {
    for (Index i = 0; i < values.rows(); ++i) {
      mean += values.row(i).transpose().template cast<double>();
    }
  });
  return mean / static_cast<double>(points.rows());
}

// Evenly spaced points minus the mean, scaled so that squares cannot overflow.
Matrix centered_sample(const SharedMatrix& points, const Vector& mean) {
  const Index count = std::min(points.rows(), kMostSampled);
  Matrix sample(count, points.cols());
  points.visit([&](const auto& values) {
    for (Index i = 0; i < count; ++i) {
      sample.row(i) =
          values.row(i * points.rows() / count).template cast<double>() - mean.transpose();
    }
  });
  const double largest = sample.cwiseAbs().maxCoeff();
  if (largest > 0.0) sample /= largest;
  return sample;
}

Matrix orthonormal(const Matrix& block) {
  const Eigen::MatrixXd columns = block;
  Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
  return qr.householderQ() * Eigen::MatrixXd::Identity(block.rows(), block.cols());
}

}  // namespace

PrincipalAxes::PrincipalAxes(Vector mean, Matrix axes)
    : mean_(std::move(mean)), axes_(std::move(axes)) {
  if (mean_.size() != axes_.rows()) {
    throw ShapeError(
        fmt::format("principal axes of {} features, but a mean of {}", axes_.rows(), mean_.size()));
  }
}

// Subspace iteration on XᵀX with a Rayleigh-Ritz step at the end.
PrincipalAxes PrincipalAxes::of(const SharedMatrix& points, Index components,
                                const Context& context, const char* who) {
  const Index features = points.cols();
  if (components < 1 || components > features) {
    throw ValueError(fmt::format("{}: {} principal components of {} features; expected 1 to {}",
                                 who, components, features, features));
  }
  points.visit([&](const auto& values) { check_finite_points(values, who); });
  Vector mean = mean_point(points);
  const Matrix sample = centered_sample(points, mean);
  Random random(1);
  Matrix block(features, std::min(features, components + kMoreDirections));
  for (double& value : block.reshaped()) value = random.normal();
  block = orthonormal(block);
  Matrix image;  // X block
  for (int round = 0; round < kSubspaceRounds; ++round) {
    context.check_cancelled();
    image = tall_times_small(sample, block, context.threads);
    block = orthonormal(tall_product(sample, image, context.threads));
  }
  image = tall_times_small(sample, block, context.threads);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> ritz(
      Eigen::MatrixXd(symmetric_tall_product(image, image, context.threads)));
  Matrix axes = block * ritz.eigenvectors().rightCols(components).rowwise().reverse();
  return {std::move(mean), std::move(axes)};
}

std::uint64_t principal_axes_bytes(Index points, Index features) {
  // The sample, and a few blocks of features × components.
  return byte_count(std::min(points, kMostSampled) * features, 8.0) + byte_count(features, 4096.0);
}

Matrix PrincipalAxes::project(const SharedMatrix& points, int threads) const {
  if (points.cols() != features()) {
    throw ShapeError(fmt::format("the points have {} features, but their principal axes {}",
                                 points.cols(), features()));
  }
  Matrix result = Matrix::Zero(points.rows(), components());
  const Index width = components();
  points.visit([&](const auto& values) {
    parallel_chunks(points.rows(), 256, threads, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        double* row = result.data() + i * width;
        for (Index k = 0; k < features(); ++k) {
          const double x = static_cast<double>(values(i, k)) - mean_[k];
          const double* axis = axes_.data() + k * width;
          for (Index j = 0; j < width; ++j) row[j] += x * axis[j];
        }
      }
    });
  });
  return result;
}

}  // namespace stkr
