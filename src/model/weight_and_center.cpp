#include "model/weight_and_center.hpp"

#include "gram/centered_gram.hpp"
#include "gram/weighted_gram.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// Sample weights. `graph`: see weight_and_center.
void add_weights(const Specification& spec, std::size_t kernels, const GraphDegrees* graph,
                 PreparedGram& result) {
  const bool given = spec.sample_weights.size() > 0;
  const bool wanted = spec.measure == Measure::degree;
  const bool by_default = spec.measure == Measure::automatic && kernels == 1 && !given &&
                          !spec.center && graph &&
                          graph->normalization == GraphNormalization::probability;
  if (wanted && (!graph || given)) {
    throw ValueError(
        "measure degree weights nodes by their degrees; it needs a single graph kernel and no "
        "sample weights");
  }
  if (!wanted && !by_default && !given) return;
  if (spec.center) {
    throw ValueError(
        "centering cannot be combined with sample weights or measure degree; omit one of them");
  }
  Vector weights = given ? spec.sample_weights : graph->degree;
  result.gram = std::make_unique<WeightedGram>(std::move(result.gram), std::move(weights));
  result.choices.push_back({"measure", given ? "sample weights" : "degree",
                            by_default ? "default of this kernel: p = D/Tr(D)" : ""});
  result.description += given ? ", weighted samples" : ", weighted by degree";
}

void center(std::size_t kernels, PreparedGram& result) {
  result.gram = std::make_unique<CenteredGram>(std::move(result.gram));
  if (kernels > 1) {
    result.choices.push_back({"sum", "centered", ""});
  } else {
    result.choices.back().value += ", centered";
  }
  result.description += ", centered";
}

}  // namespace

void weight_and_center(const Specification& spec, std::size_t kernels, const GraphDegrees* graph,
                       PreparedGram& result) {
  add_weights(spec, kernels, graph, result);
  if (spec.center) center(kernels, result);
}

}  // namespace stkr
