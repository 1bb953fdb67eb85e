// Kernel ridge regression by conjugate gradients with and without the preconditioner; prints one
// line of JSON per run and ridge β. Points are normally distributed in a few dimensions, the kernel
// is an RBF with the median distance as its length scale, and the targets are smooth functions of
// the points plus noise.
//
//   ridge_benchmark <points> <labels> <features> <outputs> <threads>     (10000 5000 8 10 0)

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "kernel/bandwidth.hpp"
#include "runtime/random.hpp"
#include "stkr/estimator/stkr.hpp"
#include "stkr/gram/point_gram.hpp"

using namespace stkr;

namespace {

Matrix normal_matrix(Index rows, Index columns, std::uint64_t seed) {
  Random random(seed);
  Matrix result(rows, columns);
  for (Index i = 0; i < result.size(); ++i) result.data()[i] = random.normal();
  return result;
}

// sin(a·x) for random a, one per output, plus noise with standard deviation 0.1.
Matrix smooth_targets(const Matrix& points, Index outputs) {
  const Matrix directions = normal_matrix(points.cols(), outputs, 2);
  const Matrix phase = points * directions;
  return phase.array().sin().matrix() + 0.1 * normal_matrix(points.rows(), outputs, 3);
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int k, long fallback) {
    return k < argc ? std::atol(argv[k]) : fallback;
  };
  const Index points = argument(1, 10000);
  const Index labels = argument(2, 5000);
  const Index features = argument(3, 8);
  const Index outputs = argument(4, 10);
  const int threads = static_cast<int>(argument(5, 0));

  const Matrix x = normal_matrix(points, features, 1);
  const std::vector<Index> labeled = Random(4).sample(points, labels);
  const Matrix y = smooth_targets(x(labeled, Eigen::all), outputs);
  const PointGram<double> gram(x, Kernel::rbf(median_distance(x)), threads);
  bool converged = true;
  for (const double beta : {1e-2, 1e-4, 1e-6, 1e-8}) {
    for (const bool precondition : {false, true}) {
      StkrOptions options;
      options.transform = SpectralTransform::power(1);
      options.solver = StkrSolver::cg;
      options.beta = beta;
      options.max_iterations = 5000;
      options.precondition = precondition;
      const SolveSummary solve =
          fit_stkr(gram, labeled, y, options, {.threads = threads}).summary.solve;
      fmt::print(
          "{{\"beta\": {:.0e}, \"preconditioner\": \"{}\", \"preconditioner_products\": {}, "
          "\"iterations\": {}, \"seconds\": {:.2f}, \"worst_residual\": {:.1e}, "
          "\"stop_reason\": \"{}\"}}\n",
          beta, precondition ? solve.preconditioner : "none", solve.preconditioner_products,
          solve.iterations, solve.seconds, solve.worst_residual(), to_string(solve.reason));
      std::fflush(stdout);
      converged = converged && (solve.converged() || !precondition);
    }
  }
  return converged ? 0 : 4;
}
