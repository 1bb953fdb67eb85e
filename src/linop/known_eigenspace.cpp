#include "stkr/linop/known_eigenspace.hpp"

#include <atomic>
#include <cmath>

#include "runtime/parallel.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// Rows per task. Partial sums are added in order, whatever the number of threads.
constexpr Index kRowChunk = 4096;
constexpr Index kFewGroups = 64;

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

KnownEigenspace::KnownEigenspace(double eigenvalue, Index groups, std::vector<std::int32_t> group,
                                 Vector weight)
    : id_(next_id()),
      eigenvalue_(eigenvalue),
      groups_(groups),
      group_(std::move(group)),
      weight_(std::move(weight)) {
  if (static_cast<Index>(group_.size()) != weight_.size()) {
    throw ShapeError("KnownEigenspace: group and weight need one entry per sample each");
  }
  Vector squares = Vector::Zero(groups_);
  for (Index i = 0; i < weight_.size(); ++i) {
    if (group_[i] >= groups_) throw ValueError("KnownEigenspace: group out of range");
    if (group_[i] >= 0) squares[group_[i]] += weight_[i] * weight_[i];
  }
  // What is normalized already, as in a saved model, keeps its bits.
  constexpr double kRounding = 1e-12;
  const auto norm = [&](Index g) {
    return std::abs(squares[g] - 1.0) < kRounding ? 1.0 : std::sqrt(squares[g]);
  };
  for (Index i = 0; i < weight_.size(); ++i) {
    if (group_[i] >= 0) weight_[i] /= norm(group_[i]);
  }
}

KnownEigenspace KnownEigenspace::of_shared_rows(double eigenvalue, Index groups, Index shared,
                                                std::vector<std::int32_t> group, Vector weight) {
  KnownEigenspace result;
  result.id_ = next_id();
  result.eigenvalue_ = eigenvalue;
  result.groups_ = groups;
  result.shared_ = shared;
  result.group_ = std::move(group);
  result.weight_ = std::move(weight);
  return result;
}

bool KnownEigenspace::same_vectors(const KnownEigenspace& other) const {
  return groups_ == other.groups_ && group_ == other.group_ && weight_ == other.weight_;
}

KnownEigenspace KnownEigenspace::with_eigenvalue(double eigenvalue) const {
  KnownEigenspace result = *this;
  result.eigenvalue_ = eigenvalue;
  return result;
}

Matrix KnownEigenspace::coefficients(ConstMatrixRef x, int threads) const {
  const auto accumulate = [&](Index begin, Index end, MatrixRef sums) {
    for (Index i = begin; i < end; ++i) {
      if (group_[i] >= 0) sums.row(group_[i]) += weight_[i] * x.row(i);
    }
  };
  // Many groups would take more memory in partial sums than their few samples are worth.
  if (groups_ > kFewGroups || size() <= kRowChunk) {
    Matrix result = Matrix::Zero(groups_, x.cols());
    accumulate(0, size(), result);
    return result;
  }
  const Index chunks = (size() + kRowChunk - 1) / kRowChunk;
  Matrix partial = Matrix::Zero(chunks * groups_, x.cols());
  parallel_chunks(size(), kRowChunk, threads, [&](Index begin, Index end) {
    accumulate(begin, end, partial.middleRows(begin / kRowChunk * groups_, groups_));
  });
  Matrix result = partial.topRows(groups_);
  for (Index k = 1; k < chunks; ++k) result += partial.middleRows(k * groups_, groups_);
  return result;
}

void KnownEigenspace::add(ConstMatrixRef coefficients, MatrixRef x, int threads) const {
  const int team = size() <= kRowChunk ? 1 : threads;
  parallel_chunks(size(), kRowChunk, team, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      if (group_[i] >= 0) x.row(i) += weight_[i] * coefficients.row(group_[i]);
    }
  });
}

void KnownEigenspace::project_out(MatrixRef x, int threads) const {
  add(-coefficients(x, threads), x, threads);
}

void project_out(const KnownEigenspace& space, MatrixRef x, int threads) {
  space.project_out(x, threads);
}

void add_projection(const KnownEigenspace& space, double a, ConstMatrixRef x, MatrixRef y,
                    int threads) {
  space.add(a * space.coefficients(x, threads), y, threads);
}

}  // namespace stkr
