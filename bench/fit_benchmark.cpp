// Times a complete fit on a large graph and prints JSON: inverse Laplacian with η = 0.99, β = 1e-2
// and tolerance 1e-8, on a block model of ten classes with 100 labels per class.
//
//   fit_benchmark <nodes> <entries> <labels> <threads>        (1000000 20000000 1000 0)

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "peak_memory.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/estimator/decision.hpp"
#include "stkr/estimator/stkr.hpp"
#include "stkr/gram/graph_gram.hpp"

using namespace stkr;

int main(int argc, char** argv) {
  const auto argument = [&](int k, long fallback) {
    return k < argc ? std::atol(argv[k]) : fallback;
  };
  const Index nodes = argument(1, 1'000'000);
  const Index entries = argument(2, 20'000'000);
  const Index labels = argument(3, 1000);
  const int threads = static_cast<int>(argument(4, 0));
  constexpr Index kClasses = 10;

  // Three out of four edges stay within a class.
  const double degree = static_cast<double>(entries) / static_cast<double>(nodes);
  const double inside = static_cast<double>(nodes) / kClasses;
  const double outside = static_cast<double>(nodes) - inside;
  const std::vector<Index> blocks(kClasses, nodes / kClasses);
  Dataset dataset =
      stochastic_block_model(blocks, 0.75 * degree / inside, 0.25 * degree / outside, 1);
  const ClassLabels truth = std::get<ClassLabels>(dataset.labels);
  keep_only(dataset.labels, labeled_per_class(truth, labels / kClasses, 1));
  const EncodedTargets targets = encode_targets(dataset.labels);
  const Index stored = dataset.graph().adjacency.entries();

  const auto start = std::chrono::steady_clock::now();
  GraphGramOptions gram_options;
  gram_options.threads = threads;
  const GraphGram gram(std::move(std::get<Graph>(dataset.samples).adjacency), gram_options);
  const std::chrono::duration<double> prepared = std::chrono::steady_clock::now() - start;
  StkrOptions options;
  options.transform = SpectralTransform::inverse_laplacian(0.99);
  options.beta = 1e-2;
  options.tolerance = 1e-8;
  Fit fit = fit_stkr(gram, targets.labeled, targets.y, options, {.threads = threads});

  const Predictions predictions =
      decide(targets.decision, fit.fitted, fit.evidence.of_known(0, fit.fitted));
  Index right = 0;
  for (Index i = 0; i < nodes; ++i) right += predictions.class_index[i] == truth.code[i];
  fmt::print(
      "{{\"nodes\": {}, \"entries\": {}, \"labels\": {}, \"prepare_seconds\": {:.3f}, "
      "\"fit_seconds\": {:.3f}, \"solver\": \"{}\", \"stop_reason\": \"{}\", \"iterations\": {}, "
      "\"products\": {}, \"worst_residual\": {:.2e}, \"accuracy\": {:.4f}, \"peak_megabytes\": "
      "{:.0f}}}\n",
      nodes, stored, targets.labeled.size(), prepared.count(), fit.summary.seconds,
      fit.summary.solve.solver, to_string(fit.summary.solve.reason), fit.summary.solve.iterations,
      fit.summary.products, fit.summary.solve.worst_residual(),
      static_cast<double>(right) / static_cast<double>(nodes), peak_megabytes());
  return fit.summary.solve.converged() ? 0 : 4;
}
