// Handwritten digits with ten labels per class: the README's example as a complete program.
#include <cstdio>
#include <stkr/dataset/shipped.hpp>
#include <stkr/dataset/splits.hpp>
#include <stkr/model/fit_model.hpp>

int main() {
  stkr::Dataset digits = stkr::load_shipped("digits");
  const auto truth = std::get<stkr::ClassLabels>(digits.labels);
  stkr::keep_only(digits.labels, stkr::labeled_per_class(truth, 10, /*seed=*/1));

  stkr::Specification spec;  // inverse Laplacian, ridge and length scale chosen from the data
  spec.kernel = stkr::NeighborGraphSpec{};  // RBF is the default for points
  const stkr::FittedModel result = stkr::fit_model(digits, spec);
  const stkr::Predictions answers = result.model.predict();

  int right = 0;
  for (std::size_t i = 0; i < truth.code.size(); ++i) {
    right += answers.class_index[i] == truth.code[i];
  }
  std::printf("right for %.1f%% of the digits\n", 100.0 * right / truth.code.size());
}
