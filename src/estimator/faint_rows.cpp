#include "faint_rows.hpp"

#include <vector>

#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/linop/shared_rows.hpp"
#include "stkr/solver/krylov.hpp"
#include "transform/operator_polynomial.hpp"

namespace stkr {
namespace {

// A row is faint if it is below this share of its column's largest entry: well above the error that
// conjugate gradients leave.
constexpr double kFaint = 1e-5;

// The samples whose rows are faint in every column of x; row k of x is samples[k].
std::vector<Index> faint_rows(const SharedRows* rows, const std::vector<Index>& samples,
                              const Matrix& x) {
  Matrix largest = Matrix::Zero(1, x.cols());
  if (x.rows() > 0) largest = x.cwiseAbs().colwise().maxCoeff();
  largest_over(rows, largest);
  std::vector<Index> faint;
  for (Index k = 0; k < x.rows(); ++k) {
    bool found = true;
    for (Index c = 0; c < x.cols() && found; ++c) {
      found = largest(0, c) == 0.0 || std::abs(x(k, c)) < kFaint * largest(0, c);
    }
    if (found) faint.push_back(samples[k]);
  }
  return faint;
}

}  // namespace

long refine_faint_rows(const GramOperator& gram, double eta, ConstMatrixRef b,
                       const SolverOptions& options, const Context& context, Matrix& x) {
  const SharedRows* shared = gram.shared_rows();
  std::vector<Index> samples(gram.local_size());  // rows of this process
  for (Index i = 0; i < gram.local_size(); ++i) samples[i] = i;
  samples = faint_rows(shared, samples, x);
  long products = 0;
  while (any_over(shared, !samples.empty())) {
    // b + ηS x of all other rows
    for (const Index i : samples) x.row(i).setZero();
    const Matrix s_x = product(gram, x);
    ++products;
    const Matrix rhs = gather_rows(b, samples) + eta * gather_rows(s_x, samples);
    if (all_over(shared, (rhs.array() == 0.0).all())) break;
    const auto block = gram.restricted(samples, 1.0);
    const OperatorPolynomial q(*block, {1.0, -eta});
    CgOptions cg;
    static_cast<SolverOptions&>(cg) = options;
    const SolveResult solved = solve_cg(q, rhs, cg, context);
    if (solved.summary.reason == StopReason::cancelled) throw Cancelled("stopped by the caller");
    products += solved.summary.products;
    for (std::size_t k = 0; k < samples.size(); ++k) x.row(samples[k]) = solved.solution.row(k);
    std::vector<Index> fainter = faint_rows(shared, samples, solved.solution);
    if (all_over(shared, fainter.size() == samples.size())) break;
    samples = std::move(fainter);
  }
  return products;
}

}  // namespace stkr
