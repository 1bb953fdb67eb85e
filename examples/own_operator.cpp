// An operator of your own: its size and its product. Solvers ask for nothing else.
#include <cmath>
#include <cstdio>
#include <stkr/linop/linear_operator.hpp>
#include <stkr/solver/eigenpairs.hpp>
#include <stkr/solver/krylov.hpp>

// The path of N nodes: (S x)_i = (x_{i-1} + x_{i+1})/2, whose eigenvalues are cos(k π/(N + 1)).
class Path : public stkr::LinearOperator {
 public:
  explicit Path(stkr::Index nodes) : nodes_(nodes) {}
  stkr::Index size() const override { return nodes_; }
  void apply(stkr::ConstMatrixRef x, stkr::MatrixRef y) const override {
    y.setZero();
    y.topRows(nodes_ - 1) += 0.5 * x.bottomRows(nodes_ - 1);
    y.bottomRows(nodes_ - 1) += 0.5 * x.topRows(nodes_ - 1);
  }

 private:
  stkr::Index nodes_;
};

// I - ηS, from the operator above.
class Resolvent : public stkr::LinearOperator {
 public:
  Resolvent(const stkr::LinearOperator& s, double eta) : s_(s), eta_(eta) {}
  stkr::Index size() const override { return s_.size(); }
  void apply(stkr::ConstMatrixRef x, stkr::MatrixRef y) const override {
    s_.apply_step(-eta_, x, 1.0, 0.0, y);
  }

 private:
  const stkr::LinearOperator& s_;
  double eta_;
};

int main() {
  const Path path(2000);
  const stkr::Eigenpairs top = stkr::top_eigenpairs(path, 3);
  const double exact = std::cos(3 * 3.14159265358979323846 / 2001);
  std::printf("third eigenvalue %.12f, in closed form %.12f\n", top.values[2], exact);

  // Labels 1 and -1 at the ends, spread by (I - ηS)⁻¹.
  const Path short_path(100);
  stkr::Matrix y = stkr::Matrix::Zero(100, 1);
  y(0, 0) = 1.0;
  y(99, 0) = -1.0;
  const stkr::SolveResult result = stkr::solve_cg(Resolvent(short_path, 0.999), y);
  std::printf("%s after %d steps, residual %.0e; f is %s at the first quarter, %s at the last\n",
              stkr::to_string(result.summary.reason), result.summary.iterations,
              result.summary.worst_residual(), result.solution(25, 0) > 0 ? "positive" : "negative",
              result.solution(74, 0) > 0 ? "positive" : "negative");
}
