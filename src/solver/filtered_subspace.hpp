#pragma once

#include <vector>

#include "chebyshev_filter.hpp"
#include "stkr/linop/linear_operator.hpp"
#include "stkr/linop/random.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace stkr {

// How far the first filter may favour one eigenvector over another. Random columns hold all alike:
// shifted passes make them orthonormal, and rounding only adds a random part to what the next
// sweep filters again.
constexpr double kFirstAmplification = 1e11;

// The block that top_eigenpairs iterates on: pairs that have converged are locked, and only the
// others are filtered, orthogonal to the locked ones. A few more columns than wanted put the
// filter's cut well below the last wanted value.
class FilteredSubspace {
 public:
  // Starts from options.start and random columns, filtered with `degree` products.
  FilteredSubspace(const LinearOperator& op, Index count, Index block, double scale,
                   const ChebyshevFilter& filter, int degree, const EigenpairOptions& options);

  // Orthonormal Ritz pairs of the active columns and the true residuals of the wanted ones.
  // Cost: two products.
  void rayleigh_ritz();

  // Locks what has converged well within the tolerance, where that makes the block much smaller.
  void lock();

  // Makes all columns active again, for good: what is left of the residuals of locked pairs can
  // keep others from converging.
  void unlock();

  // Filters panel by panel, each as long as it needs and rounding allows; panels that have
  // converged stay as they are. Returns the products of the longest.
  int filter(const ChebyshevFilter& filter);

  Index wanted() const { return residuals_.size(); }  // of the active columns
  Index locked() const { return locked_.cols(); }
  const Vector& theta() const { return theta_; }          // of the active columns, largest first
  const Vector& residuals() const { return residuals_; }  // of the wanted among them

  // Locked and active pairs together: the `count` largest.
  void store(Eigenpairs& result) const;

 private:
  double needed_degree(const ChebyshevFilter& filter, Index first, Index end) const;
  double allowed_degree(const ChebyshevFilter& filter, Index last) const;

  const LinearOperator& op_;
  const EigenpairOptions& options_;
  Index count_;
  double scale_;  // of the eigenvalues
  Random random_;
  bool locking_ = true;
  Matrix locked_;
  Vector locked_theta_, locked_residuals_;
  Matrix x_;
  Vector theta_, residuals_;
};

}  // namespace stkr
