#include "estimator/resident_block.hpp"

#include <gtest/gtest.h>

#include "dense_reference.hpp"
#include "gram_cases.hpp"
#include "handle_backend.hpp"
#include "linop/csr_operator.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "transform/operator_polynomial.hpp"

namespace stkr::resident_block_test {
namespace {

using reference::relative_error;

constexpr Index kSize = 24;

class Blocks : public testing::TestWithParam<bool> {
 protected:
  static CsrOperator graph(bool on_device) {
    const Matrix w = cases::two_component_graph(kSize, 7);
    const Matrix s =
        cases::graph_kernel(w, GraphNormalization::symmetric) / static_cast<double>(kSize);
    return CsrOperator(cases::to_csr(s), 0.0, 1, on_device ? handle::test_device() : Device());
  }

  const CsrOperator host_ = graph(false), s_ = graph(GetParam());
  const std::vector<Index> samples_{5, 0, 17};
  const Matrix x_ = random_matrix(3, 2, 5);
  const Matrix e_x_ = scatter_rows(x_, samples_, kSize);
  const ResidentBlock block_ = ResidentBlock::scattered(s_, x_, samples_);
};

INSTANTIATE_TEST_SUITE_P(OnHostAndDevice, Blocks, testing::Bool());

TEST_P(Blocks, StayWhereTheirOperatorComputes) {
  EXPECT_EQ(block_.on_device() != nullptr, GetParam());
  EXPECT_EQ(product(s_, block_).on_device() != nullptr, GetParam());
  EXPECT_EQ(block_.columns(), 2);
  EXPECT_EQ(block_.to_host(), e_x_);
  EXPECT_EQ(block_.rows_at(nullptr, samples_), x_);
  EXPECT_EQ(block_.own_rows_at(samples_), x_);
  ResidentBlock copy = ResidentBlock::of(s_, e_x_);
  EXPECT_EQ(copy.host_rows(), e_x_);
  EXPECT_EQ(std::move(copy).to_host(), e_x_);
  EXPECT_TRUE(ResidentBlock().empty());
}

TEST_P(Blocks, AreWhatTheFunctionsOfMatricesGive) {
  const auto close = [](const ResidentBlock& found, const Matrix& expected) {
    return relative_error(found.to_host(), expected) < 1e-14;
  };
  EXPECT_TRUE(close(product(s_, block_, 3.0), 3.0 * product(host_, e_x_)));
  EXPECT_LT(relative_error(product_roughly(s_, block_).to_host(), product(host_, e_x_)), 1e-6);
  Matrix expected(kSize, 2);
  const std::vector<double> coefficients{0.5, 0.0, 2.0};
  apply_polynomial<Matrix>(host_, coefficients, e_x_, expected);
  EXPECT_TRUE(close(apply_polynomial(s_, coefficients, block_, 1), expected));
  const ChebyshevSeries series =
      chebyshev_quotient([](double x) { return x * std::exp(x); }, {-1.0, 1.0});
  apply_chebyshev<Matrix>(host_, series, e_x_, expected, 1);
  EXPECT_TRUE(close(apply_chebyshev(s_, series, block_, 1), expected));
  const Matrix y = random_matrix(kSize, 2, 8);
  EXPECT_TRUE(
      close(combination(s_, 2.0, block_, -1.0, ResidentBlock::of(s_, y), 1), 2.0 * e_x_ - y));
  const Vector w = Vector::LinSpaced(kSize, 1.0, 2.0);
  EXPECT_TRUE(close(with_scaled_rows(s_, w, block_, 1), w.asDiagonal() * e_x_));
}

TEST_P(Blocks, StartAndEndSolves) {
  const OperatorPolynomial q(s_, {1.0, -0.9}), q_host(host_, {1.0, -0.9});
  CgOptions cg;
  cg.tolerance = 1e-11;
  const ResidentSolve found = solve_cg(q, block_, nullptr, cg, {});
  ASSERT_TRUE(found.summary.converged());
  EXPECT_LT(relative_error(product(q_host, found.solution.to_host()), e_x_), 1e-10);
  EXPECT_EQ(solve_cg(q, block_, &found.solution, cg, {}).summary.iterations, 0);
  const SolverOptions options{.tolerance = 1e-10};
  EXPECT_LT(
      relative_error(
          product(q_host, solve_minres(q, block_, nullptr, options, {}).solution.to_host()), e_x_),
      1e-9);
  EXPECT_EQ(solve_minres(q, block_, &found.solution, options, {}).summary.iterations, 0);
}

// A step that only the host has, between two of the device.
TEST_P(Blocks, ComeToTheHostForItsOperators) {
  const ResidentBlock found = product(s_, product(host_, block_));
  EXPECT_LT(relative_error(found.to_host(), product(host_, product(host_, e_x_))), 1e-14);
  const OperatorPolynomial q(s_, {1.0, -0.9});
  const ResidentBlock start(e_x_);  // on the host, for a solve on the device
  EXPECT_TRUE(solve_cg(q, block_, &start, {}, {}).summary.converged());
}

}  // namespace
}  // namespace stkr::resident_block_test
