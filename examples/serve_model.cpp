// Serving a saved model: load it once, predict in small batches, say what has no evidence. Here the
// model is made on the spot; a server would get the path from its configuration.
#include <cstdio>
#include <filesystem>
#include <stkr/dataset/generators.hpp>
#include <stkr/dataset/splits.hpp>
#include <stkr/error.hpp>
#include <stkr/model/fit_model.hpp>

namespace {

void make_model(const std::filesystem::path& path) {
  stkr::Dataset moons = stkr::two_moons(500, 0.08, /*seed=*/1);
  stkr::keep_only(moons.labels,
                  stkr::labeled_per_class(std::get<stkr::ClassLabels>(moons.labels), 3, 2));
  stkr::fit_model(moons, {}).model.save(path);
}

// One request: a batch of points, a class name each.
void answer(const stkr::Model& model, stkr::Matrix points) {
  try {
    const auto& classes = std::get<stkr::ClassDecision>(model.decision());
    const stkr::Predictions predictions = model.predict(stkr::NewSamples{std::move(points)});
    for (std::size_t i = 0; i < predictions.class_index.size(); ++i) {
      std::printf("class %s%s\n", classes.names[predictions.class_index[i]].c_str(),
                  predictions.evidence[i] ? "" : " (no label reaches this point)");
    }
  } catch (const stkr::Error& error) {  // a wrong request must not end the server
    std::printf("refused: %s\n", error.what());
  }
}

}  // namespace

int main() {
  const auto path = std::filesystem::temp_directory_path() / "stkr_serve_model.npz";
  make_model(path);
  const stkr::Model model = stkr::Model::load(path);  // const: any number of threads may use it
  std::filesystem::remove(path);

  answer(model, (stkr::Matrix(2, 2) << 0.0, 1.0, 1.0, -0.5).finished());
  answer(model, stkr::Matrix::Constant(1, 2, 1e6));  // far from everything
  answer(model, stkr::Matrix::Zero(1, 3));           // one coordinate too many
}
