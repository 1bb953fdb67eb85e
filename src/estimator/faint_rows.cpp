#include "faint_rows.hpp"

#include <algorithm>
#include <vector>

#include "runtime/parallel.hpp"
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

constexpr Index kRowsPerTask = 1 << 14;

// The samples whose rows are faint in every column of x; row k of x is samples[k], or k if there
// are no numbers.
std::vector<Index> faint_rows(const SharedRows* rows, const std::vector<Index>* samples,
                              ConstMatrixRef x, int threads) {
  const Index tasks = (x.rows() + kRowsPerTask - 1) / kRowsPerTask;
  Matrix largest_of(tasks, x.cols());
  parallel_tasks(tasks, threads, [&](Index task) {
    const Index first = task * kRowsPerTask;
    largest_of.row(task) = x.middleRows(first, std::min(kRowsPerTask, x.rows() - first))
                               .cwiseAbs()
                               .colwise()
                               .maxCoeff();
  });
  Matrix largest = Matrix::Zero(1, x.cols());
  if (tasks > 0) largest = largest_of.colwise().maxCoeff();
  largest_over(rows, largest);
  std::vector<std::vector<Index>> found(static_cast<std::size_t>(tasks));
  parallel_tasks(tasks, threads, [&](Index task) {
    const Index first = task * kRowsPerTask;
    for (Index k = first; k < std::min(first + kRowsPerTask, x.rows()); ++k) {
      bool faint = true;
      for (Index c = 0; c < x.cols() && faint; ++c) {
        faint = largest(0, c) == 0.0 || std::abs(x(k, c)) < kFaint * largest(0, c);
      }
      if (faint) found[task].push_back(samples ? (*samples)[k] : k);
    }
  });
  std::vector<Index> all;
  for (const std::vector<Index>& part : found) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

long refine_faint_rows(const GramOperator& gram, double eta, const ResidentBlock& b,
                       const SolverOptions& options, const Context& context, ResidentBlock& x) {
  const SharedRows* shared = gram.shared_rows();
  // Numbers of rows of this process.
  std::vector<Index> samples = faint_rows(shared, nullptr, x.host_rows(), context.threads);
  if (!any_over(shared, !samples.empty())) return 0;
  long products = 0;
  Matrix known = std::move(x).to_host();
  while (any_over(shared, !samples.empty())) {
    // b + ηS x of all other rows
    for (const Index i : samples) known.row(i).setZero();
    const Matrix s_x = product(gram, known);
    ++products;
    const Matrix rhs = b.own_rows_at(samples) + eta * gather_rows(s_x, samples);
    if (all_over(shared, (rhs.array() == 0.0).all())) break;
    const auto block = gram.restricted(samples, 1.0);
    const OperatorPolynomial q(*block, {1.0, -eta});
    CgOptions cg;
    static_cast<SolverOptions&>(cg) = options;
    const SolveResult solved = solve_cg(q, rhs, cg, context);
    if (solved.summary.reason == StopReason::cancelled) throw Cancelled("stopped by the caller");
    products += solved.summary.products;
    for (std::size_t k = 0; k < samples.size(); ++k) known.row(samples[k]) = solved.solution.row(k);
    std::vector<Index> fainter = faint_rows(shared, &samples, solved.solution, context.threads);
    if (all_over(shared, fainter.size() == samples.size())) break;
    samples = std::move(fainter);
  }
  x = ResidentBlock::of(gram, std::move(known));
  return products;
}

}  // namespace stkr
