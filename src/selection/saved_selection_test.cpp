#include "saved_selection.hpp"

#include "saved_in_memory.hpp"
#include "selection/select_kernels.hpp"
#include "small_problem.hpp"
#include "stkr/error.hpp"

namespace stkr::saved_selection_test {
namespace {

std::vector<KernelCandidate> two_kernels() {
  std::vector<KernelCandidate> candidates(2);
  candidates[0].description = "lazy-walk";
  candidates[0].spec.kernel = GraphKernelSpec{GraphNormalization::lazy_walk};
  candidates[1].description = "symmetric";
  candidates[1].spec.kernel = GraphKernelSpec{GraphNormalization::symmetric};
  return candidates;
}

SelectOptions every_family() {
  SelectOptions options;
  options.grid.powers = {1, 3};
  options.grid.polynomials = {{0.5, 0.5}};
  options.grid.etas = {0.9, 0.9999};
  options.grid.times = {2.0};
  options.grid.dimensions = {4, 16};
  options.grid.ridges = {1.0, 1e-3};
  options.grid.propagation_etas = {0.9};
  options.grid.propagation_steps = {2, 8};
  return options;
}

void expect_same(const Selection& a, const Selection& b) {
  ASSERT_EQ(a.scores.size(), b.scores.size());
  for (std::size_t k = 0; k < a.scores.size(); ++k) {
    EXPECT_EQ(a.scores[k].point, b.scores[k].point);
    EXPECT_EQ(a.scores[k].validation, b.scores[k].validation);
    EXPECT_EQ(a.scores[k].loss, b.scores[k].loss);
    EXPECT_EQ(a.scores[k].beta, b.scores[k].beta);
    EXPECT_EQ(a.scores[k].outcomes, b.scores[k].outcomes);
    EXPECT_EQ(a.scores[k].test, b.scores[k].test);
    if (!std::isnan(a.scores[k].deviation) || !std::isnan(b.scores[k].deviation)) {
      EXPECT_EQ(a.scores[k].deviation, b.scores[k].deviation);
    }
    EXPECT_EQ(a.scores[k].validation_no_evidence, b.scores[k].validation_no_evidence);
    EXPECT_EQ(a.scores[k].test_no_evidence, b.scores[k].test_no_evidence);
  }
  EXPECT_EQ(a.warnings, b.warnings);
  EXPECT_EQ(a.left_out.size(), b.left_out.size());
  ASSERT_EQ(a.kernels.size(), b.kernels.size());
  for (std::size_t k = 0; k < a.kernels.size(); ++k) {
    EXPECT_EQ(a.kernels[k].largest_eigenvalue, b.kernels[k].largest_eigenvalue);
  }
}

using Select = std::function<Selection(const Context&)>;

// Stops the run after a given number of saved parts.
class StoppingState : public SavedInMemory {
 public:
  StoppingState(const SavedInMemory& before, int parts)
      : SavedInMemory(before.again()), left_(parts) {}
  void save(const std::string& name, std::span<const ConstMatrixRef> blocks,
            const SharedBlocks& shared) override {
    SavedInMemory::save(name, blocks, shared);
    if (--left_ == 0) source.request_stop();
  }
  std::stop_source source;

 private:
  int left_;
};

void expect_resumes(const Select& select) {
  const Selection whole = select({.threads = 2});
  SavedInMemory state;
  for (int stops = 0;; ++stops) {
    ASSERT_LT(stops, 20);
    StoppingState next(state, 1);
    const Context context{.threads = 2, .cancel = next.source.get_token(), .saved = &next};
    try {
      expect_same(select(context), whole);
      EXPECT_GE(stops, 4) << "parts";
      return;
    } catch (const Cancelled&) {
      state = next.again();
    }
  }
}

TEST(SavedSelection, GoesOnWithTheNextPartOfTheGrid) {
  const Dataset dataset = small_dataset();
  expect_resumes([&](const Context& context) {
    return select_kernels_by_split(dataset, two_kernels(), small_split(), Setting::transductive,
                                   every_family(), context);
  });
  Dataset few = dataset;
  keep_only(few.labels, small_split().train);
  expect_resumes([&](const Context& context) {
    SelectOptions options = every_family();
    options.deviations = true;
    return select_kernels_by_folds(few, two_kernels(), 4, options, context);
  });
}

TEST(SavedSelection, RefusesAStateThatCannotBeRead) {
  SavedInMemory state;
  state.save("one, part 1", std::vector<ConstMatrixRef>{Matrix(text_block("no CBOR"))}, {});
  const auto select = [](const SelectOptions&, const Context&) { return Selection{}; };
  EXPECT_THROW(resumable_selection("one", every_family(), {.saved = &state}, select), DataError);
}

}  // namespace
}  // namespace stkr::saved_selection_test
