// A point kernel of your own, K(x, y) = (1-r)⁴(4r+1) with r = ‖x-y‖/ℓ ≤ 1, else 0 (Wendland): fit
// with it, save the model, and load it again with a registry that knows the kernel.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <stkr/dataset/generators.hpp>
#include <stkr/dataset/splits.hpp>
#include <stkr/error.hpp>
#include <stkr/estimator/stkr.hpp>
#include <stkr/gram/point_gram.hpp>
#include <stkr/model/model.hpp>

// The library computes ‖x-y‖² for a whole row of pairs; this loop maps them to K.
stkr::CustomKernel wendland(double length) {
  return {.name = "wendland",
          .formula = stkr::OfSquaredDistance{[=](auto row) {
            for (auto& value : row) {
              const double r = std::min(1.0, std::sqrt(value) / length);
              value = (1 - r) * (1 - r) * (1 - r) * (1 - r) * (4 * r + 1);
            }
          }},
          .positive_semidefinite = true,  // in up to three dimensions
          .nonnegative = true,
          .parameters = {{"length", length}}};
}

int main() {
  stkr::Dataset moons = stkr::two_moons(600, 0.08, /*seed=*/1);
  const auto truth = std::get<stkr::ClassLabels>(moons.labels);
  stkr::keep_only(moons.labels, stkr::labeled_per_class(truth, 5, 2));
  const stkr::EncodedTargets targets = stkr::encode_targets(moons.labels);

  const stkr::PointGram<double> gram(moons.points().values.dense(),
                                     stkr::Kernel::custom(wendland(0.3)));
  stkr::StkrOptions options;
  options.transform = stkr::SpectralTransform::power(16);
  stkr::Fit fit = stkr::fit_stkr(gram, targets.labeled, targets.y, options);
  const stkr::Model model(gram.cross_kernel(), std::move(fit), targets.decision, {});
  int right = 0;
  const stkr::Predictions known = model.predict();
  for (std::size_t i = 0; i < truth.code.size(); ++i)
    right += known.class_index[i] == truth.code[i];
  std::printf("%s: right for %d of 600 points\n", gram.kernel().describe().c_str(), right);

  const auto path = std::filesystem::temp_directory_path() / "stkr_own_kernel.npz";
  model.save(path);
  try {
    stkr::Model::load(path);
  } catch (const stkr::DataError& error) {
    std::printf("without a registry: %s\n", error.what());
  }
  stkr::CrossKernelRegistry registry;
  registry.add_kernel("wendland", [](const auto& saved) { return wendland(saved.at("length")); });
  const stkr::Model loaded = stkr::Model::load(path, registry);
  std::filesystem::remove(path);

  const stkr::NewSamples new_points{(stkr::Matrix(2, 2) << 0.0, 1.0, 1.0, -0.5).finished()};
  const bool same = loaded.predict(new_points).scores == model.predict(new_points).scores;
  std::printf("loaded: %s predictions\n", same ? "the same" : "other");
}
