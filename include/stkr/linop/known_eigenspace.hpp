#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stkr/matrix.hpp"

namespace stkr {

// Eigenvectors with disjoint supports of one eigenvalue, known in closed form: a graph's normalized
// adjacency has √D on each connected component for λ = 1, and a centered kernel has the constant
// vector for λ = 0. Solvers deflate them because near η = 1/λ₁ they dominate everything else.
class KnownEigenspace {
 public:
  // group[i] in {0, ..., groups-1} is the support that contains sample i, or -1 for none; weight[i]
  // is the entry of that eigenvector before normalization.
  KnownEigenspace(double eigenvalue, Index groups, std::vector<std::int32_t> group, Vector weight);

  // The rows of one of several processes (SharedRows). Groups are numbered by each process: the
  // first `shared` are the same in all of them, in the same order, and the others have all their
  // samples here. `weight` is normalized already. All processes give dimension() = 0, or none does.
  static KnownEigenspace of_shared_rows(double eigenvalue, Index groups, Index shared,
                                        std::vector<std::int32_t> group, Vector weight);

  // The groups whose coefficients are sums over processes; 0 if this one has all rows.
  Index shared_groups() const { return shared_; }

  double eigenvalue() const { return eigenvalue_; }
  Index dimension() const { return groups_; }
  Index size() const { return weight_.size(); }

  // The eigenvector whose support contains sample i, or -1 for none.
  std::int32_t group(Index i) const { return group_[i]; }

  // All of them, and the entry of each sample in its eigenvector.
  std::span<const std::int32_t> groups() const { return group_; }
  const Vector& weights() const { return weight_; }

  // Equal for copies and for the same eigenvectors with another eigenvalue, different for all
  // others: devices keep their own copy by it.
  std::uint64_t id() const { return id_; }

  // Whether the eigenvectors are equal bit for bit; eigenvalues are ignored.
  bool same_vectors(const KnownEigenspace& other) const;

  // The same eigenvectors for another operator.
  KnownEigenspace with_eigenvalue(double eigenvalue) const;

  // Uᵀ x: one row per eigenvector.
  Matrix coefficients(ConstMatrixRef x, int threads = 1) const;

  // x += U coefficients
  void add(ConstMatrixRef coefficients, MatrixRef x, int threads = 1) const;

  // x -= U Uᵀ x
  void project_out(MatrixRef x, int threads = 1) const;

 private:
  KnownEigenspace() = default;

  std::uint64_t id_ = 0;
  double eigenvalue_ = 0.0;
  Index groups_ = 0;
  Index shared_ = 0;
  std::vector<std::int32_t> group_;
  Vector weight_;  // normalized: each group's weights have norm 1
};

// x -= U Uᵀ x
void project_out(const KnownEigenspace& space, MatrixRef x, int threads);

// y += a U Uᵀ x
void add_projection(const KnownEigenspace& space, double a, ConstMatrixRef x, MatrixRef y,
                    int threads);

}  // namespace stkr
