#include <cstdio>
#include <stkr/estimator/stkr.hpp>
#include <stkr/gram/graph_gram.hpp>
#include <stkr/version.hpp>

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
  return right && fit.summary.solve.converged() ? 0 : 1;
}
