#include "linop/device_operator.hpp"

#include <gtest/gtest.h>

#include "dense_reference.hpp"
#include "gram_cases.hpp"
#include "handle_backend.hpp"
#include "linop/counted_operator.hpp"
#include "linop/csr_operator.hpp"
#include "linop/operators.hpp"
#include "solver/resolvent_space.hpp"
#include "solver/richardson.hpp"
#include "solver/spectrum.hpp"
#include "stkr/kernel/nearest_neighbors.hpp"
#include "stkr/solver/eigenpairs.hpp"
#include "stkr/solver/krylov.hpp"
#include "transform/chebyshev.hpp"
#include "transform/operator_polynomial.hpp"

namespace stkr {
namespace {

using reference::relative_error;

constexpr Index kSize = 24;

// The normalized adjacency of a graph on the host and on the device for tests.
CsrOperator graph_on(const Device& device) {
  const Matrix w = cases::two_component_graph(kSize, 7);
  const Matrix s =
      cases::graph_kernel(w, GraphNormalization::symmetric) / static_cast<double>(kSize);
  return CsrOperator(cases::to_csr(s), 0.0, 1, device);
}

class OnDevice : public testing::Test {
 protected:
  const CsrOperator host_ = graph_on({});
  const CsrOperator device_ = graph_on(handle::test_device());
  const Matrix b_ = random_matrix(kSize, 3, 5);
};

TEST_F(OnDevice, IsAskedForByEverySolver) {
  ASSERT_EQ(host_.on_device(), nullptr);
  ASSERT_NE(device_.on_device(), nullptr);
  EXPECT_LT(relative_error(product(device_, b_), product(host_, b_)), 1e-15);

  const OperatorPolynomial q_host(host_, {1.0, -0.9}), q(device_, {1.0, -0.9});
  ASSERT_NE(q.on_device(), nullptr);
  CgOptions cg;
  cg.tolerance = 1e-11;
  const SolveResult solved = solve_cg(q, b_, cg);
  EXPECT_TRUE(solved.summary.converged());
  EXPECT_LT(relative_error(product(q_host, solved.solution), b_), 1e-10);

  SolverOptions options{.tolerance = 1e-11};
  EXPECT_LT(relative_error(product(q_host, solve_minres(q, b_, options).solution), b_), 1e-10);
  const Matrix start = solved.solution;
  options.initial = &start;
  EXPECT_EQ(solve_minres(q, b_, options).summary.iterations, 0);

  RichardsonOptions richardson;
  richardson.tolerance = 1e-11;
  richardson.step_size = 1.0;
  EXPECT_LT(relative_error(solve_richardson(q, b_, richardson).solution, start), 1e-9);

  EXPECT_NEAR(estimate_spectrum(device_).largest, estimate_spectrum(host_).largest, 1e-12);
  EXPECT_LT(relative_error(top_eigenpairs(device_, 4).values, top_eigenpairs(host_, 4).values),
            1e-12);
}

TEST_F(OnDevice, AppliesPolynomialsAndSeries) {
  Matrix on_host(kSize, 3), on_device(kSize, 3);
  const std::vector<double> coefficients{0.5, 0.0, 2.0, -1.0};
  apply_polynomial<Matrix>(host_, coefficients, b_, on_host);
  apply_polynomial<Matrix>(device_, coefficients, b_, on_device);
  EXPECT_LT(relative_error(on_device, on_host), 1e-14);
  const ChebyshevSeries series =
      chebyshev_quotient([](double x) { return x * std::exp(x); }, {-1.0, 1.0});
  apply_chebyshev<Matrix>(host_, series, b_, on_host);
  apply_chebyshev<Matrix>(device_, series, b_, on_device);
  EXPECT_LT(relative_error(on_device, on_host), 1e-14);
}

TEST_F(OnDevice, KeepsTheSpaceOfAllResolventsOnTheHost) {
  const RowSampler rows{{3, 1}, [](const Matrix& some, const RowSampler::Whole& whole) -> Matrix {
                          Matrix result(7, some.cols());
                          result << some, whole().topRows(5);
                          return result;
                        }};
  const ResolventOptions options{.hardest_eta = 0.9};
  const ResolventSpace host(host_, b_, rows, options), device(device_, b_, rows, options);
  EXPECT_EQ(device.dimension(), host.dimension());
  for (const double eta : {0.0, 0.5, 0.9}) {
    EXPECT_LT(relative_error(device.rows(eta), host.rows(eta)), 1e-10) << eta;
  }
}

TEST_F(OnDevice, MakesOperatorsOfOthers) {
  const auto same = [&](const LinearOperator& on_device, const LinearOperator& on_host) {
    const auto device = on_device.on_device();
    ASSERT_NE(device, nullptr);
    Matrix y(kSize, 3);
    device->apply(b_, y);
    EXPECT_LT(relative_error(y, product(on_host, b_)), 1e-14);
    // Single precision, which the device uses for rough products.
    device->apply_roughly(b_, y);
    EXPECT_LT(relative_error(y, product(on_host, b_)), 1e-6);
  };
  const Vector w = Vector::LinSpaced(kSize, 1.0, 2.0), t = Vector::LinSpaced(kSize, -1.0, 1.0);
  same(ScaledOperator(borrowed<Matrix>(device_), 3.0),
       ScaledOperator(borrowed<Matrix>(host_), 3.0));
  same(DiagonalScaling(borrowed<Matrix>(device_), w, t),
       DiagonalScaling(borrowed<Matrix>(host_), w, t));
  same(DiagonalScaling(borrowed<Matrix>(device_), w), DiagonalScaling(borrowed<Matrix>(host_), w));
  same(RowScaling(borrowed<Matrix>(device_), w), RowScaling(borrowed<Matrix>(host_), w));
  const auto v = std::make_shared<const Matrix>(random_matrix(kSize, 2, 6));
  const Vector factors = Vector::LinSpaced(2, -1.0, 2.0);
  same(LowRankSum(borrowed<Matrix>(device_), v, factors),
       LowRankSum(borrowed<Matrix>(host_), v, factors));
  const auto sum = [](const LinearOperator& a) {
    return SumOperator({borrowed<Matrix>(a), borrowed<Matrix>(a)}, {2.0, -0.5});
  };
  same(sum(device_), sum(host_));
  EXPECT_EQ(
      SumOperator({borrowed<Matrix>(device_), borrowed<Matrix>(host_)}, {1.0, 1.0}).on_device(),
      nullptr);
}

TEST_F(OnDevice, CountsProductsOnTheHost) {
  const CountedOperator counted(device_);
  Matrix y(kSize, 3);
  apply_polynomial<Matrix>(counted, {0.0, 0.0, 1.0}, b_, y);
  EXPECT_EQ(counted.count(), 2);
}

TEST_F(OnDevice, UsesRoughProductsBetweenTrueResiduals) {
  const OperatorPolynomial q(device_, {1.0, -0.9}), q_host(host_, {1.0, -0.9});
  CgOptions cg;
  cg.tolerance = 1e-12;
  const SolveResult solved = solve_cg(q, b_, cg);
  EXPECT_TRUE(solved.summary.converged());
  EXPECT_EQ(solved.summary.rough_precision, "fp32");
  EXPECT_GT(solved.summary.rough_products, 0);
  EXPECT_LT(solved.summary.rough_products, solved.summary.products);
  EXPECT_LT(relative_error(product(q_host, solved.solution), b_), 1e-11);
  EXPECT_EQ(solve_cg(q_host, b_, cg).summary.rough_products, 0);
}

TEST(Neighbors, OfADeviceAreThoseOfTheHost) {
  Matrix x = random_matrix(200, 3, 9);
  x.row(17) = x.row(3);  // equal points share one place
  const Matrix queries = random_matrix(40, 3, 10);
  const NeighborOptions options{.k = 6};
  Context context;
  const NeighborIndex host(FeatureMatrix(x), options, context, "test");
  context.device = handle::test_device();
  const NeighborIndex device(FeatureMatrix(x), options, context, "test");
  EXPECT_EQ(device.among_themselves().index, host.among_themselves().index);
  EXPECT_EQ(device.among_themselves().distance, host.among_themselves().distance);
  EXPECT_EQ(device.of(FeatureMatrix(queries)).index, host.of(FeatureMatrix(queries)).index);
  EXPECT_EQ(device.of(FeatureMatrix(queries)).distance, host.of(FeatureMatrix(queries)).distance);
  const Vector reach = Vector::LinSpaced(200, 0.0, 1.5);
  const Surroundings here = host.of(FeatureMatrix(queries), reach);
  const Surroundings there = device.of(FeatureMatrix(queries), reach);
  EXPECT_EQ(there.nearest.index, here.nearest.index);
  EXPECT_EQ(there.reached_by.row_start, here.reached_by.row_start);
  EXPECT_EQ(there.reached_by.index, here.reached_by.index);
  EXPECT_EQ(there.reached_by.distance, here.reached_by.distance);
}

}  // namespace
}  // namespace stkr
