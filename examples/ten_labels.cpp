// Handwritten digits with ten labels per class: the README's example as a complete program.
#include <cstdio>
#include <stkr/dataset/load_dataset.hpp>
#include <stkr/dataset/splits.hpp>
#include <stkr/selection/fit_automatic.hpp>

int main() {
  stkr::Dataset digits = stkr::load_shipped("digits");
  const auto truth = std::get<stkr::ClassLabels>(digits.labels);
  stkr::keep_only(digits.labels, stkr::labeled_per_class(truth, 10, /*seed=*/1));

  const stkr::AutomaticFit fit = stkr::fit_automatic(digits, {});  // or what you know, in {}
  std::printf("%s: %s\n", fit.tried[0].kernel.c_str(), fit.tried[0].best.c_str());  // its choice
  const stkr::Predictions answers = fit.fitted.model.predict();

  int right = 0;
  for (std::size_t i = 0; i < truth.code.size(); ++i) {
    right += answers.class_index[i] == truth.code[i];
  }
  std::printf("right for %.1f%% of the digits\n", 100.0 * right / truth.code.size());
}
