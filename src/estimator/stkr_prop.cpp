#include "estimator/stkr_prop.hpp"

#include <algorithm>

#include "solver/spectrum.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "transform/operator_polynomial.hpp"

namespace stkr {
namespace {

// Lines 3-5 of Algorithm 1: u = (G_{K̂_s,n} + nβ_n I_n) α̂.
class Algorithm1System : public LinearOperator {
 public:
  Algorithm1System(const LinearOperator& s, std::span<const Index> labeled,
                   const std::vector<double>& pi, double beta)
      : s_(s), labeled_(labeled), pi_(pi), beta_(beta) {}

  Index size() const override { return static_cast<Index>(labeled_.size()); }

  void apply(ConstMatrixRef alpha, MatrixRef u) const override {
    const auto total = static_cast<double>(s_.size());  // n + m
    // Line 3: α̃ ← G_{K,n+m,n} α̂ / (n+m) = S E α̂, v ← 0
    const Matrix tilde = product(s_, scatter_samples(s_.shared_rows(), alpha, labeled_, s_.size()));
    // Line 4: for p = q, ..., 2: v ← S v + π_p α̃
    const Matrix v = horner(tilde);
    // Line 5: u ← G_{K,n+m,n}ᵀ v + π_1 G_{K,n} α̂ + nβ_n α̂
    u = total * pi_.front() * gather_samples(s_.shared_rows(), tilde, labeled_) +
        static_cast<double>(size()) * beta_ * alpha;
    if (pi_.size() > 1) u += total * gather_samples(s_.shared_rows(), product(s_, v), labeled_);
  }

  // v of line 4, from α̃. For prediction, c = v + π_1 E α̂.
  Matrix horner(const Matrix& tilde) const {
    Matrix v = Matrix::Zero(tilde.rows(), tilde.cols());
    if (pi_.size() > 1) {
      apply_polynomial(s_, std::vector<double>(pi_.begin() + 1, pi_.end()), tilde, v);
    }
    return v;
  }

 private:
  const LinearOperator& s_;
  std::span<const Index> labeled_;
  const std::vector<double>& pi_;
  double beta_;
};

// θ ↦ S^k θ
OperatorPolynomial power(const LinearOperator& s, int k) {
  std::vector<double> coefficients(static_cast<std::size_t>(k) + 1, 0.0);
  coefficients.back() = 1.0;
  return {s, std::move(coefficients)};
}

// Lines 3-5 of Algorithm 2: u = M θ with M = (n+m) Ĩ_n S^r + nβ_n Q. Not symmetric.
class Algorithm2System {
 public:
  Algorithm2System(const PropagationProblem& problem, const ReciprocalTransform& reciprocal)
      : q_(problem.s, reciprocal.coefficients),
        power_(power(problem.s, reciprocal.r)),
        m_({std::make_shared<RowScaling>(borrowed<Matrix>(power_), of_labels(problem)),
            borrowed<Matrix>(q_)},
           {1.0, static_cast<double>(problem.labeled.size()) * problem.beta}) {}
  Algorithm2System(const Algorithm2System&) = delete;
  Algorithm2System& operator=(const Algorithm2System&) = delete;

  const LinearOperator& m() const { return m_; }
  // Line 4: v ← S v + ξ_p θ for p = q-1, ..., 0
  const OperatorPolynomial& q() const { return q_; }

 private:
  // Line 5: [((n+m) S^r θ)[1:n], 0_m]: the diagonal of (n+m) Ĩ_n
  static Matrix of_labels(const PropagationProblem& problem) {
    const auto total = static_cast<double>(problem.s.size());
    const Matrix each = Matrix::Constant(static_cast<Index>(problem.labeled.size()), 1, total);
    return scatter_samples(problem.s.shared_rows(), each, problem.labeled, problem.s.size());
  }

  OperatorPolynomial q_, power_;
  SumOperator m_;
};

double largest_eigenvalue(const LinearOperator& op, const Context& context) {
  return estimate_spectrum(op, {}, context).bounds.upper;
}

RichardsonOptions richardson_options(const PropagationOptions& options, double step_size) {
  RichardsonOptions richardson;
  static_cast<SolverOptions&>(richardson) = options;
  richardson.step_size = step_size;
  return richardson;
}

}  // namespace

Propagation propagate_polynomial(const PropagationProblem& problem, const std::vector<double>& pi,
                                 const PropagationOptions& options, const Context& context) {
  const Algorithm1System system(problem.s, problem.labeled, pi, problem.beta);
  // γ = 1/λ_max(A) converges for every positive definite A.
  const double gamma =
      options.step_size > 0.0 ? options.step_size : 1.0 / largest_eigenvalue(system, context);
  SolveResult solved =
      solve_richardson(system, problem.y, richardson_options(options, gamma), context);
  const Matrix scattered =
      scatter_samples(problem.s.shared_rows(), solved.solution, problem.labeled, problem.s.size());
  Matrix c = system.horner(product(problem.s, scattered)) + pi.front() * scattered;
  return {std::move(solved.solution), std::move(c), gamma, std::move(solved.summary)};
}

Propagation propagate_reciprocal(const PropagationProblem& problem,
                                 const ReciprocalTransform& reciprocal,
                                 const SpectrumBounds& spectrum, const PropagationOptions& options,
                                 const Context& context) {
  const Algorithm2System system(problem, reciprocal);
  double gamma = options.step_size;
  if (!(gamma > 0.0)) {
    // M is similar to R = (n+m) S^(r/2) Ĩ_n S^(r/2) + nβ_n Q (prop:richardson-inverse), and the
    // first part has the eigenvalues of (n+m) Eᵀ S^r E. The paper bounds those by nλ^r, which holds
    // for large n; this code computes them.
    std::vector<double> pi(reciprocal.r, 0.0);
    pi.back() = 1.0;
    const Algorithm1System labeled_part(problem.s, problem.labeled, pi, 0.0);
    double rho_max = 0.0;
    for (int k = 0; k <= 1000; ++k) {
      const double lambda = spectrum.lower + (spectrum.upper - spectrum.lower) * k / 1000.0;
      rho_max = std::max(rho_max, reciprocal.rho(lambda));
    }
    const auto n = static_cast<double>(problem.labeled.size());
    gamma = 1.0 /
            (std::max(largest_eigenvalue(labeled_part, context), 0.0) + n * problem.beta * rho_max);
  }
  const SharedRows* rows = problem.s.shared_rows();
  const Matrix y_tilde = scatter_samples(rows, problem.y, problem.labeled, problem.s.size());
  SolveResult solved =
      solve_richardson(system.m(), y_tilde, richardson_options(options, gamma), context);
  Matrix alpha = gather_samples(rows, product(system.q(), solved.solution), problem.labeled);
  Matrix c = product(power(problem.s, reciprocal.r - 1), solved.solution);
  return {std::move(alpha), std::move(c), gamma, std::move(solved.summary)};
}

}  // namespace stkr
