// A fit that is interrupted and resumed (linop/saved_state) writes the same model.

#include <gtest/gtest.h>

#include <fstream>

#include "saved_in_memory.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/model/fit_model.hpp"
#include "temporary_folder.hpp"

namespace stkr {
namespace {

Dataset with_labels(Dataset dataset, Index per_class) {
  keep_only(dataset.labels, labeled_per_class(std::get<ClassLabels>(dataset.labels), per_class, 1));
  return dataset;
}

Dataset moons() { return with_labels(two_moons(240, 0.08, 1), 10); }
Dataset blocks() {
  return with_labels(stochastic_block_model(std::vector<Index>{120, 120}, 0.1, 0.01, 1), 30);
}

// Stops the run at its second save: the first may be the state it started from.
class StoppingState : public SavedInMemory {
 public:
  explicit StoppingState(const SavedInMemory& before) : SavedInMemory(before.again()) {}
  void save(const std::string& name, std::span<const ConstMatrixRef> blocks) override {
    SavedInMemory::save(name, blocks);
    if (saves == 2) source.request_stop();
  }
  std::stop_source source;
};

std::string bytes_of(const Model& model) {
  const testing::TemporaryFolder folder;
  model.save(folder / "model.npz");
  std::ifstream in(folder / "model.npz", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string fitted(Dataset dataset, const Recipe& recipe, SavedState* saved,
                   std::stop_token cancel) {
  const Context context{.cancel = cancel, .saved = saved};
  const RecipeResult result =
      fit_prepared(prepare_gram(dataset, recipe, context), dataset.labels, recipe, context);
  if (result.summary.solve.reason == StopReason::cancelled) throw Cancelled("stopped");
  return bytes_of(result.model);
}

// Interrupts repeatedly, one save later each time, and finally resumes from the last state.
void expect_same_model(const Dataset& dataset, const Recipe& recipe) {
  const std::string whole = fitted(dataset, recipe, nullptr, {});
  SavedInMemory state;
  for (bool ended = false; !ended;) {
    StoppingState next(state);
    try {
      EXPECT_EQ(fitted(dataset, recipe, &next, next.source.get_token()), whole);
      ended = true;
    } catch (const Cancelled&) {
    }
    ASSERT_GT(next.saves + next.found, 0);
    state = next.again();
  }
  SavedInMemory last = state.again();
  EXPECT_EQ(fitted(dataset, recipe, &last, {}), whole);
  EXPECT_GT(last.found, 0);
}

TEST(Resume, AnIterativeFitOfAGraph) {
  Recipe recipe;
  recipe.solver = StkrSolver::minres;
  expect_same_model(blocks(), recipe);
}

TEST(Resume, ConjugateGradientsOnPoints) {
  Recipe recipe;
  recipe.transform = "power";
  recipe.power = 2.0;
  recipe.solver = StkrSolver::cg;
  expect_same_model(moons(), recipe);
}

TEST(Resume, ASystemFormedInBatches) {
  Recipe recipe;
  recipe.solver = StkrSolver::direct;
  recipe.execution.block_bytes = 3 * 8 * 240;
  expect_same_model(moons(), recipe);
}

TEST(Resume, KernelPca) {
  Recipe recipe;
  recipe.method = Method::kernel_pca;
  expect_same_model(blocks(), recipe);
}

TEST(Resume, ANeighborGraph) {
  Recipe recipe;
  recipe.kernel = "knn";
  expect_same_model(moons(), recipe);
}

TEST(Resume, RichardsonAsThePaperPrintsIt) {
  Recipe recipe;
  recipe.transform = "inverse-laplacian";
  recipe.eta = 0.5;
  recipe.solver = StkrSolver::richardson;
  recipe.tolerance = 1e-4;
  recipe.beta = 1.0;
  expect_same_model(blocks(), recipe);
}

}  // namespace
}  // namespace stkr
