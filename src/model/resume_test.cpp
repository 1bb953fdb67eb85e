// A fit that is interrupted and resumed (linop/saved_state) writes the same model.

#include <gtest/gtest.h>

#include <fstream>

#include "linop/saved_state.hpp"
#include "named_specification.hpp"
#include "saved_in_memory.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/model/fit_model.hpp"
#include "temporary_folder.hpp"

namespace stkr::resume_test {
namespace {

using testing::named;

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
  void save(const std::string& name, std::span<const ConstMatrixRef> blocks,
            const SharedBlocks& shared) override {
    SavedInMemory::save(name, blocks, shared);
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

std::string fitted(Dataset dataset, const Specification& spec, const Execution& execution,
                   SavedState* saved, std::stop_token cancel) {
  const Context context{.cancel = cancel, .saved = saved};
  const FittedModel result = fit_prepared(prepare_gram(dataset, spec, execution, context),
                                          dataset.labels, spec, execution, context);
  if (result.summary.solve.reason == StopReason::cancelled) throw Cancelled("stopped");
  return bytes_of(result.model);
}

// Interrupts repeatedly, one save later each time, and finally resumes from the last state.
void expect_same_model(const Dataset& dataset, const Specification& spec,
                       const Execution& execution = {}) {
  const std::string whole = fitted(dataset, spec, execution, nullptr, {});
  SavedInMemory state;
  for (bool ended = false; !ended;) {
    StoppingState next(state);
    try {
      EXPECT_EQ(fitted(dataset, spec, execution, &next, next.source.get_token()), whole);
      ended = true;
    } catch (const Cancelled&) {
    }
    ASSERT_GT(next.saves + next.found, 0);
    state = next.again();
  }
  SavedInMemory last = state.again();
  EXPECT_EQ(fitted(dataset, spec, execution, &last, {}), whole);
  EXPECT_GT(last.found, 0);
}

TEST(Resume, AnIterativeFitOfAGraph) {
  expect_same_model(blocks(), named({}, {.solver = "minres"}));
}

TEST(Resume, ConjugateGradientsOnPoints) {
  expect_same_model(moons(), named({}, {.power = 2.0, .solver = "cg"}));
}

TEST(Resume, ASystemFormedInBatches) {
  expect_same_model(moons(), named({}, {.solver = "direct"}), {.block_bytes = 3 * 8 * 240});
}

TEST(Resume, KernelPca) { expect_same_model(blocks(), named({}, {.method = "kernel-pca"})); }

TEST(Resume, ANeighborGraph) { expect_same_model(moons(), named({.name = "knn"})); }

TEST(Resume, RichardsonAsThePaperPrintsIt) {
  expect_same_model(
      blocks(), named({}, {.eta = 0.5, .beta = 1.0, .solver = "richardson", .tolerance = 1e-4}));
}

}  // namespace
}  // namespace stkr::resume_test
