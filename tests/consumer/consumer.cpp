#include <cstdio>
#include <stkr/estimator/stkr.hpp>
#include <stkr/gram/graph_gram.hpp>
#include <stkr/gram/point_gram.hpp>
#include <stkr/version.hpp>

// A kernel of the consumer: two points at distance 2 have K = 1/5.
bool own_kernel_works() {
  const auto cauchy = [](auto row) {
    for (auto& d2 : row) d2 = 1 / (1 + d2);
  };
  const stkr::Matrix points = (stkr::Matrix(2, 1) << 1.0, 3.0).finished();
  const stkr::PointGram<double> gram(
      points, stkr::Kernel::custom({"cauchy", stkr::OfSquaredDistance{cauchy}}));
  return gram.columns(std::vector<stkr::Index>{0})(1, 0) == 0.2;
}

// A path of five nodes with its ends labeled: the sign changes in the middle.
int main() {
  std::vector<stkr::Triplet> edges;
  for (int i = 0; i + 1 < 5; ++i) {
    edges.push_back({i, i + 1, 1.0});
    edges.push_back({i + 1, i, 1.0});
  }
  const stkr::GraphGram gram(stkr::csr_from_triplets(5, 5, edges));
  const std::vector<stkr::Index> labeled{0, 4};
  stkr::Matrix y(2, 1);
  y << 1.0, -1.0;
  const stkr::Fit fit = stkr::fit_stkr(gram, labeled, y);
  std::printf("stkr %s: f = %.3f %.3f %.3f %.3f %.3f\n", stkr::kVersion, fit.fitted(0, 0),
              fit.fitted(1, 0), fit.fitted(2, 0), fit.fitted(3, 0), fit.fitted(4, 0));
  const bool right = fit.fitted(1, 0) > 0.0 && fit.fitted(3, 0) < 0.0;
  return right && fit.summary.solve.converged() && own_kernel_works() ? 0 : 1;
}
