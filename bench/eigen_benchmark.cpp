// Times top_eigenpairs on the normalised adjacency of a graph and prints JSON: see eigenpairs.py,
// which compares it with SciPy's eigsh.
//
//   eigen_benchmark <graph.npz> <count> <tolerance> <threads> [<removed> [warm]]
//
// With <removed> > 0, the problem of kernel PCA: the block that is left when so many random nodes
// are removed. With `warm`, the eigenvectors of the whole graph are its start (not timed).

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "peak_memory.hpp"
#include "stkr/dataset/load_dataset.hpp"
#include "stkr/gram/graph_gram.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/linop/random.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace {

using namespace stkr;

void report(const LinearOperator& op, const Eigenpairs& pairs) {
  const Matrix& u = pairs.vectors;
  const Matrix r = product(op, u) - u * pairs.values.asDiagonal();
  const Matrix defect = u.transpose() * u - Matrix::Identity(u.cols(), u.cols());
  const std::vector<double> values(pairs.values.begin(), pairs.values.end());
  fmt::print(
      "{{\"seconds\": {:.3f}, \"converged\": {}, \"sweeps\": {}, \"products\": {}, "
      "\"largest_residual\": {:.2e}, \"orthogonality\": {:.1e}, \"peak_megabytes\": {:.0f}, "
      "\"values\": [{:.12f}]}}\n",
      pairs.summary.seconds, pairs.summary.converged(), pairs.summary.iterations,
      pairs.summary.products, r.colwise().norm().maxCoeff(), defect.cwiseAbs().maxCoeff(),
      peak_megabytes(), fmt::join(values, ", "));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 4) {
    fmt::print(stderr,
               "usage: eigen_benchmark <graph.npz> <count> <tolerance> <threads> [<removed> "
               "[warm]]\n");
    return 2;
  }
  const Index count = std::atol(arguments[1].c_str());
  const Index removed = arguments.size() > 4 ? std::atol(arguments[4].c_str()) : 0;
  EigenpairOptions options;
  options.tolerance = std::atof(arguments[2].c_str());
  options.threads = std::atoi(arguments[3].c_str());
  const GraphGram gram(load_dataset(arguments[0]).graph().adjacency, {.threads = options.threads});
  if (removed == 0) {
    report(gram, top_eigenpairs(gram, count, options));
    return 0;
  }
  const std::vector<Index> kept = Random(7).sample(gram.size(), gram.size() - removed);
  const auto block = gram.restricted(kept, 1.0);
  Matrix start;
  if (arguments.size() > 5 && arguments[5] == "warm") {
    start = gather_rows(top_eigenpairs(gram, count, options).vectors, kept);
    options.start = &start;
  }
  report(*block, top_eigenpairs(*block, count, options));
  return 0;
}
