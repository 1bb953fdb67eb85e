// A graph of which five nodes per class are labeled, and nodes that join it after the fit.
#include <cstdio>
#include <stkr/dataset/generators.hpp>
#include <stkr/dataset/splits.hpp>
#include <stkr/model/fit_model.hpp>

int main() {
  const std::vector<stkr::Index> blocks{400, 400, 400};
  const stkr::Dataset whole = stkr::stochastic_block_model(blocks, 0.05, 0.005, /*seed=*/1);
  const auto& truth = std::get<stkr::ClassLabels>(whole.labels);

  // A tenth of the nodes arrives later, with edges to those that are there.
  const stkr::Split split = stkr::split_off_share(whole.size(), 0.1, /*seed=*/2);
  stkr::Dataset known = stkr::subset(whole, split.kept);
  stkr::keep_only(known.labels,
                  stkr::labeled_per_class(std::get<stkr::ClassLabels>(known.labels), 5, 3));
  const stkr::Model model = stkr::fit_model(known, {}).model;

  const auto edges = stkr::cross_edges(whole.graph().adjacency, split.held_out, split.kept);
  const stkr::Predictions later = model.predict(stkr::NewSamples{edges});
  int right = 0;
  for (std::size_t i = 0; i < split.held_out.size(); ++i) {
    right += later.class_index[i] == truth.code[split.held_out[i]];
  }
  std::printf("15 labels of 1,080 nodes: right for %d of %zu new nodes\n", right,
              split.held_out.size());
}
