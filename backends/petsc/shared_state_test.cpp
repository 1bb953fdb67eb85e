#include "shared_state.hpp"

#include <gtest/gtest.h>

#include "runtime/random.hpp"
#include "shared_cases.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/stkr.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "temporary_folder.hpp"

namespace stkr::shared_state_test {

using namespace std::chrono_literals;
using petsc::graph_cases;
using petsc::own_rows;
using petsc::SharedGraphGram;
using petsc::SharedState;
using stkr::testing::message_of;
using stkr::testing::TemporaryFolder;

Matrix random_block(Index rows, Index columns, std::uint64_t seed) {
  Random random(seed);
  Matrix block(rows, columns);
  fill_normal(random, block);
  return block;
}

bool is_first() {
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return rank == 0;
}

// The file of the first process; the others have none.
class StateOfProcesses : public ::testing::Test {
 protected:
  SharedState open(const char* run = "a run", std::chrono::seconds interval = 0s) {
    return {PETSC_COMM_WORLD, folder_ / "state", run, interval, "way"};
  }
  TemporaryFolder folder_;
};

constexpr std::array<Index, 4> kSizes = {1, 3, 50,
                                         7001};  // fewer rows than processes, several parts

TEST_F(StateOfProcesses, IsThatOfOneMachine) {
  for (const Index n : kSizes) {
    SCOPED_TRACE(n);
    const auto layout = petsc::shared_layout(n);
    const Matrix head = random_block(1, 4, 1), tall = random_block(n, 400, 2),
                 small = random_block(5, 5, 3);
    const Matrix wide = own_rows(random_block(n, 9, 4), *layout);
    const Matrix own = own_rows(tall, *layout);
    {
      SharedState state = open();
      EXPECT_FALSE(state.resumed());
      EXPECT_FALSE(state.find("minres 1", {layout.get(), 1, 2}));
      const std::vector<ConstMatrixRef> blocks{head, own, wide.middleCols(2, 3), small};
      state.save("minres 1", blocks, {layout.get(), 1, 2});
      state.save("system 1", std::vector<ConstMatrixRef>{small}, {});
    }
    if (is_first()) {
      // Written and read as if one process had all rows.
      StateFile file(folder_ / "state", "a run", 0s);
      const auto found = file.find("minres 1", {});
      ASSERT_TRUE(found && found->size() == 4);
      EXPECT_EQ((*found)[0], head);
      EXPECT_EQ((*found)[1], tall);
      EXPECT_EQ((*found)[2], random_block(n, 9, 4).middleCols(2, 3));
      EXPECT_EQ((*found)[3], small);
      file.save("cg 1", std::vector<ConstMatrixRef>{small, tall}, {});
    }
    SharedState state = open();
    EXPECT_TRUE(state.resumed());
    EXPECT_EQ(state.way(), "way");
    EXPECT_EQ(state.find("cg 1", {layout.get(), 1, 1}), (std::vector<Matrix>{small, own}));
    EXPECT_EQ(state.find("minres 1", {layout.get(), 1, 2}),
              (std::vector<Matrix>{head, own, wide.middleCols(2, 3), small}));
    EXPECT_EQ(state.find("system 1", {}), std::vector<Matrix>{small});
    state.remove();
    EXPECT_FALSE(std::filesystem::exists(folder_ / "state"));
  }
}

TEST_F(StateOfProcesses, ErrorsOfTheFirstProcessAreThoseOfAll) {
  const auto layout = petsc::shared_layout(40);
  const Matrix own = own_rows(random_block(40, 3, 1), *layout);
  const std::vector<ConstMatrixRef> blocks{own};
  {
    SharedState state = open();
    state.save("cg 1", blocks, {layout.get(), 0, 1});
    const auto other = petsc::shared_layout(41);
    EXPECT_THROW(state.find("cg 1", {other.get(), 0, 1}), DataError);
  }
  EXPECT_NE(message_of<DataError>([&] { open("another run"); }).find("another run"),
            std::string::npos);
  if (is_first()) {
    std::string text = testing::content_of(folder_ / "state");
    text[text.size() - 100] ^= 1;
    folder_.write("state", text);
  }
  SharedState damaged = open();
  EXPECT_THROW(damaged.find("cg 1", {layout.get(), 0, 1}), DataError);
  if (is_first()) std::filesystem::remove_all(folder_ / "");
  EXPECT_THROW(damaged.save("cg 1", blocks, {layout.get(), 0, 1}), WriteError);
}

TEST_F(StateOfProcesses, IsDueByTheClockOfTheFirstProcess) {
  EXPECT_FALSE(open("a run", 3600s).due());
  EXPECT_TRUE(open("a run", is_first() ? 0s : 3600s).due());
}

struct Run {
  Fit fit;
  int products = 0;
};

// A fit that the first process stops at a product, unless it is 0.
Run fitted(const StkrOptions& options, GraphNormalization normalization, SavedState* saved,
           int stop) {
  const CsrMatrix weights = graph_cases().front().weights;
  const auto layout = petsc::shared_layout(weights.rows);
  Run run;
  const SharedGraphGram gram(layout, own_rows(weights, *layout),
                             {.normalization = normalization, .cancelled = [&] {
                                return ++run.products == stop && layout->first() == 0;
                              }});
  std::vector<Index> labeled;
  for (Index k = 0; k < weights.rows; k += 4) labeled.push_back(k);
  const Matrix y = random_block(static_cast<Index>(labeled.size()), 2, 5);
  run.fit = fit_stkr(gram, labeled, y, options, {.saved = saved});
  return run;
}

// Interrupted at any product and resumed: the same bits. Where the solver runs, which is not at all
// products of a fit, the state is saved, and not all steps are done again.
void expect_resumes(const StkrOptions& options, GraphNormalization normalization,
                    const std::function<SharedState()>& open) {
  const Run whole = fitted(options, normalization, nullptr, 0);
  int fewer = 0;
  const auto expect_same = [&](SharedState& state) {
    const Run resumed = fitted(options, normalization, &state, 0);
    EXPECT_EQ(resumed.fit.fitted, whole.fit.fitted);
    EXPECT_EQ(resumed.fit.coefficients, whole.fit.coefficients);
    EXPECT_EQ(resumed.fit.summary.solve.iterations, whole.fit.summary.solve.iterations);
    EXPECT_LE(resumed.products, whole.products);
    fewer += state.resumed() && resumed.products < whole.products;
    state.remove();
  };
  for (int tenths = 1; tenths < 10; ++tenths) {
    SharedState state = open();
    EXPECT_THROW(fitted(options, normalization, &state, (tenths * whole.products + 9) / 10),
                 Cancelled);
    SharedState again = open();
    expect_same(again);
  }
  EXPECT_GT(fewer, 0);
  // Several times, for as long as the fit has so many products left.
  int interrupted = 0;
  for (int k = 0; k < 5; ++k) {
    SharedState state = open();
    try {
      fitted(options, normalization, &state, whole.products / 2);
    } catch (const Cancelled&) {
      ++interrupted;
    }
  }
  EXPECT_GT(interrupted, 0);
  SharedState state = open();
  expect_same(state);
}

TEST_F(StateOfProcesses, ResumesAFitWithTheSameBits) {
  // Nothing is due for an hour: what is saved is saved because a product was cancelled.
  const auto open_rarely = [&] { return open("a run", 3600s); };
  StkrOptions options;
  options.tolerance = 1e-11;
  options.transform = SpectralTransform::inverse_laplacian(0.99);
  options.solver = StkrSolver::minres;
  expect_resumes(options, GraphNormalization::symmetric, open_rarely);
  options.transform = SpectralTransform::power(3);
  options.solver = StkrSolver::cg;
  options.precondition = false;  // with so few labels it would solve the system in one step
  expect_resumes(options, GraphNormalization::lazy_walk, open_rarely);
  // The system of all labels, one column at a time.
  options.solver = StkrSolver::direct;
  options.execution.block_bytes = 1;
  expect_resumes(options, GraphNormalization::lazy_walk, open_rarely);
}

}  // namespace stkr::shared_state_test
