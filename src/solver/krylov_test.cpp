#include "krylov.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dense_operator.hpp"
#include "linop/saved_state.hpp"
#include "on_blocks.hpp"
#include "saved_in_memory.hpp"
#include "solver/richardson.hpp"
#include "stkr/error.hpp"
#include "stkr/solver/krylov.hpp"

namespace stkr::krylov_test {
namespace {

template <class Block>
class Krylov : public OnBlocks<Block> {};
TYPED_TEST_SUITE(Krylov, BlockTypes, BlockNames);

using Solve = std::function<SolveResult(const SolverOptions&, const Context&)>;

const SolverOptions kPrecise{.tolerance = 1e-12, .max_iterations = 2000};

// Stops after `steps` steps.
Context stopping(SavedState* saved, int steps, std::stop_source& source) {
  Context context{.cancel = source.get_token(), .saved = saved};
  context.progress = [&source, steps](const Progress& progress) {
    if (progress.done == steps) source.request_stop();
  };
  return context;
}

// Interrupted at several points in sequence and resumed each time: the result is bit-identical, and
// no step is taken twice.
void expect_same_bits(const Solve& solve) {
  const SolveResult whole = solve(kPrecise, {});
  ASSERT_TRUE(whole.summary.converged()) << whole.summary.message;
  SavedInMemory state;
  const int half = whole.summary.iterations / 2;
  for (const int steps : {0, 1, 5, half}) {
    SavedInMemory next = state.again();
    std::stop_source source;
    const SolveResult broken = solve(kPrecise, stopping(&next, steps, source));
    EXPECT_EQ(broken.summary.reason, StopReason::cancelled);
    EXPECT_EQ(broken.summary.iterations, steps);
    state = next.again();
  }
  Context last{.saved = &state};
  int first = -1;
  last.progress = [&](const Progress& progress) {
    if (first < 0) first = progress.done;
  };
  const SolveResult resumed = solve(kPrecise, last);
  EXPECT_EQ(first, half);
  EXPECT_EQ(resumed.solution, whole.solution);
  EXPECT_EQ(resumed.summary.iterations, whole.summary.iterations);
  EXPECT_EQ(resumed.summary.column_iterations, whole.summary.column_iterations);
  EXPECT_EQ(resumed.summary.residuals, whole.summary.residuals);
}

Matrix right_hand_sides(Index rows) {
  Matrix b = random_matrix(rows, 4, 3);
  b.col(2).setZero();
  return b;
}

// Rough products that are wrong by a factor, whatever their stated error.
class WrongRoughly : public DenseOperator {
 public:
  WrongRoughly(Matrix matrix, double factor) : DenseOperator(std::move(matrix)), factor_(factor) {}
  void apply_roughly(ConstMatrixRef x, MatrixRef y) const override {
    apply(x, y);
    y *= factor_;
  }
  RoughProducts rough() const override { return {1e-3, "wrong"}; }

 private:
  double factor_;
};

// -1: breakdown; NaN: the same, and nothing of it may stay; 2 and 1e-3: no progress, or worse.
TEST(RoughProducts, AreReplacedIfTheyDoNotHelp) {
  const Matrix b = random_matrix(40, 3, 2);
  for (const double factor : {-1.0, 2.0, 1e-3, std::numeric_limits<double>::quiet_NaN()}) {
    const WrongRoughly a(with_spectrum(Vector::LinSpaced(40, 1.0, 9.0), 1), factor);
    CgOptions options;
    options.tolerance = 1e-11;
    const SolveResult cg = solve_cg(a, b, options);
    EXPECT_TRUE(cg.summary.converged()) << factor << ": " << cg.summary.message;
    EXPECT_GT(cg.summary.rough_products, 0);
    EXPECT_LT((product(a, cg.solution) - b).norm(), 1e-10 * b.norm()) << factor;
    if (std::isnan(factor)) continue;
    const SolveResult minres = solve_minres(a, b, SolverOptions(options));
    EXPECT_TRUE(minres.summary.converged()) << factor << ": " << minres.summary.message;
    EXPECT_LT((product(a, minres.solution) - b).norm(), 1e-10 * b.norm()) << factor;
  }
}

TYPED_TEST(Krylov, ConjugateGradientsGoOnWhereTheyWereBrokenOff) {
  // Ill-conditioned enough to restart the recurrence from the true residual.
  const DenseOperator a(with_spectrum(Vector::LinSpaced(80, -9, 0).array().exp() * 3.0, 1));
  const Matrix b = right_hand_sides(80);
  expect_same_bits([&](const SolverOptions& options, const Context& context) {
    CgOptions cg;
    static_cast<SolverOptions&>(cg) = options;
    return cg_on<TypeParam>(a, b, cg, context);
  });
}

TYPED_TEST(Krylov, MinresGoesOnWhereItWasBrokenOff) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(80, -1, 1.5), 2));
  const Matrix b = right_hand_sides(80);
  expect_same_bits([&](const SolverOptions& options, const Context& context) {
    return minres_on<TypeParam>(a, b, options, context);
  });
}

TYPED_TEST(Krylov, RichardsonGoesOnWhereItWasBrokenOff) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(40, 0.2, 1), 4));
  const Matrix b = right_hand_sides(40);
  expect_same_bits([&](const SolverOptions& options, const Context& context) {
    RichardsonOptions richardson;
    static_cast<SolverOptions&>(richardson) = options;
    richardson.step_size = 1.0;
    return richardson_on<TypeParam>(a, b, richardson, context);
  });
}

TYPED_TEST(Krylov, RefusesTheStateOfAnotherSystem) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(40, 0.2, 1), 4));
  const DenseOperator other(with_spectrum(Vector::LinSpaced(41, 0.2, 1), 4));
  SavedInMemory state;
  minres_on<TypeParam>(a, random_matrix(40, 2, 1), {}, {.saved = &state});
  EXPECT_GT(state.saves, 0);
  SavedInMemory again = state.again();
  EXPECT_THROW(minres_on<TypeParam>(other, random_matrix(41, 2, 1), {}, {.saved = &again}),
               DataError);
}

}  // namespace
}  // namespace stkr::krylov_test
