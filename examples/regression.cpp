// A number per sample: the position along a rolled-up sheet, known for 150 of 1,500 points.
#include <cmath>
#include <cstdio>
#include <limits>
#include <stkr/dataset/generators.hpp>
#include <stkr/dataset/splits.hpp>
#include <stkr/model/fit_model.hpp>

int main() {
  stkr::Dataset roll = stkr::swiss_roll(1500, /*noise=*/0.05, /*seed=*/1);
  const auto truth = std::get<stkr::TargetValues>(roll.labels);
  stkr::keep_only(roll.labels, stkr::split_off(roll.size(), 150, /*seed=*/2).held_out);

  stkr::Specification spec;
  spec.kernel = stkr::NeighborGraphSpec{};  // neighbors along the sheet, not across its turns
  const stkr::FittedModel result = stkr::fit_model(roll, spec);
  for (const stkr::Choice& choice : result.choices) {
    std::printf("%-10s %s\n", choice.what.c_str(), choice.value.c_str());
  }

  const stkr::Predictions predictions = result.model.predict();
  const double mean = truth.values.mean();
  const double error = (predictions.scores - truth.values).squaredNorm();
  std::printf("R2 over all points: %.3f\n",
              1.0 - error / (truth.values.array() - mean).square().sum());
}
