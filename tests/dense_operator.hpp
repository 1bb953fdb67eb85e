#pragma once

#include <Eigen/QR>

#include "runtime/random.hpp"
#include "stkr/linop/linear_operator.hpp"

namespace stkr {

// The simplest operator for tests: an explicit matrix.
class DenseOperator : public LinearOperator {
 public:
  explicit DenseOperator(Matrix a) : a_(std::move(a)) {}
  Index size() const override { return a_.rows(); }
  void apply(ConstMatrixRef x, MatrixRef y) const override { y.noalias() = a_ * x; }
  const Matrix& matrix() const { return a_; }

 private:
  Matrix a_;
};

inline Matrix random_matrix(Index rows, Index cols, std::uint64_t seed) {
  Random random(seed);
  Matrix x(rows, cols);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = random.normal();
  return x;
}

// A symmetric matrix with the given eigenvalues.
inline Matrix with_spectrum(const Vector& eigenvalues, std::uint64_t seed) {
  const Index n = eigenvalues.size();
  const Eigen::MatrixXd q =
      Eigen::MatrixXd(random_matrix(n, n, seed)).householderQr().householderQ();
  const Matrix a = q * eigenvalues.asDiagonal() * q.transpose();
  return 0.5 * (a + a.transpose());
}

}  // namespace stkr
