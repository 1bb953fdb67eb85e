#include "solver/symmetric_eigen.hpp"

#include <fmt/format.h>
#include <lapacke.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "runtime/abandonable.hpp"
#include "runtime/serial_blas.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

void require_square(ConstMatrixRef a) {
  if (a.rows() != a.cols()) {
    throw ShapeError(
        fmt::format("symmetric_eigen: the matrix is {} x {}; expected square", a.rows(), a.cols()));
  }
  if (!a.allFinite())
    throw ValueError(
        "eigenvalues: the matrix has a value that is not finite: the kernel or the weights "
        "overflow; divide all of them by the largest, or rescale the features");
}

void require_success(lapack_int info, const char* routine) {
  if (info != 0) throw Error(fmt::format("eigenvalues: LAPACK's {} failed ({})", routine, info));
}

// Matrices below this size take less than a second.
constexpr Index kQuick = 800;

SymmetricEigen all_pairs(Eigen::MatrixXd work) {
  const auto n = static_cast<lapack_int>(work.rows());
  Vector ascending(n);
  const detail::SerialBlas serial;
  require_success(LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n, work.data(), n, ascending.data()),
                  "dsyevd");
  return {ascending.reverse(), work.rowwise().reverse()};
}

// Whether these are eigenpairs, with orthonormal vectors, up to far more than rounding.
bool are_eigenpairs(const Eigen::MatrixXd& a, const Vector& values,
                    const Eigen::MatrixXd& vectors) {
  constexpr double kTolerance = 1e-8;
  constexpr Index kAtOnce = 32;  // columns, to save memory
  const double scale = std::max(a.diagonal().cwiseAbs().maxCoeff(), values.cwiseAbs().maxCoeff());
  for (Index first = 0; first < vectors.cols(); first += kAtOnce) {
    const Index count = std::min(kAtOnce, vectors.cols() - first);
    const auto some = vectors.middleCols(first, count);
    Eigen::MatrixXd products = vectors.transpose() * some;
    for (Index k = 0; k < count; ++k) products(first + k, k) -= 1.0;
    Eigen::MatrixXd residual = a * some;
    residual -= some * values.segment(first, count).asDiagonal();
    // Written so that NaN fails.
    if (!(products.cwiseAbs().maxCoeff() <= kTolerance) ||
        !(residual.cwiseAbs().maxCoeff() <= kTolerance * scale)) {
      return false;
    }
  }
  return true;
}

SymmetricEigen top_pairs(Eigen::MatrixXd work, Index count) {
  const auto n = static_cast<lapack_int>(work.rows());
  const Vector diagonal = work.diagonal();
  Vector ascending(n);
  Eigen::MatrixXd vectors(n, count);
  std::vector<lapack_int> support(2 * count);
  lapack_int found = 0;
  const detail::SerialBlas serial;
  require_success(LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'L', n, work.data(), n, 0.0, 0.0,
                                 static_cast<lapack_int>(n - count + 1), n, 0.0, &found,
                                 ascending.data(), vectors.data(), n, support.data()),
                  "dsyevr");
  // It overwrote the diagonal and what is below.
  work.triangularView<Eigen::StrictlyLower>() = work.transpose();
  work.diagonal() = diagonal;
  // With many equal eigenvalues, dsyevr may return fewer pairs than it was asked for, or wrong
  // vectors, and no error; which matrices are hit depends on the processor.
  if (found != count || !are_eigenpairs(work, ascending.head(count), vectors)) {
    SymmetricEigen all = all_pairs(std::move(work));
    return {all.values.head(count), all.vectors.leftCols(count)};
  }
  // Equal eigenvalues split the tridiagonal matrix into blocks, whose pairs are returned one block
  // after the other.
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return ascending[a] > ascending[b]; });
  return {ascending(order), vectors(Eigen::all, order)};
}

}  // namespace

SymmetricEigen symmetric_eigen(ConstMatrixRef a, const std::stop_token& cancel) {
  require_square(a);
  if (a.rows() == 0) return {};
  // A symmetric matrix is the same in both storage orders.
  Eigen::MatrixXd work = a;
  if (a.rows() < kQuick) return all_pairs(std::move(work));
  return abandonable(cancel,
                     [work = std::move(work)]() mutable { return all_pairs(std::move(work)); });
}

SymmetricEigen symmetric_eigen_top(ConstMatrixRef a, Index count, const std::stop_token& cancel) {
  require_square(a);
  const Index n = a.rows();
  if (count < 0 || count > n) {
    throw ValueError(
        fmt::format("symmetric_eigen_top: {} pairs requested of a {} x {} matrix", count, n, n));
  }
  if (count == 0) return {Vector(0), Matrix(n, 0)};
  Eigen::MatrixXd work = a;
  if (n < kQuick) return top_pairs(std::move(work), count);
  return abandonable(cancel, [work = std::move(work), count]() mutable {
    return top_pairs(std::move(work), count);
  });
}

}  // namespace stkr
