#include "linop/chebyshev_recurrence.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dense_operator.hpp"
#include "handle_block.hpp"

namespace stkr::chebyshev_recurrence_test {
namespace {

Vector spectrum() { return Vector::LinSpaced(12, -0.4, 1.2); }

// T_k(t(A)), t mapping [lower, upper] to [-1, 1].
Matrix polynomial(int k, double lower, double upper) {
  const Vector mapped = spectrum().unaryExpr([&](double lambda) {
    const double t = (2.0 * lambda - lower - upper) / (upper - lower);
    return t > 1.0 ? std::cosh(k * std::acosh(t)) : std::cos(k * std::acos(std::max(t, -1.0)));
  });
  return with_spectrum(mapped, 1);
}

TEST(ChebyshevRecurrence, StepsThroughThePolynomials) {
  const DenseOperator a(with_spectrum(spectrum(), 1));
  const Matrix x = random_matrix(12, 3, 2);
  ChebyshevRecurrence<Matrix> plain(a, {-0.5, 1.3}, x, 1), with_images(a, {-0.5, 1.3}, x, 1);
  for (int k = 0; k < 12; ++k) {
    EXPECT_LT((plain.current() - polynomial(k, -0.5, 1.3) * x).norm(), 1e-12) << k;
    EXPECT_LT((with_images.image() - a.matrix() * with_images.current()).norm(), 1e-14);
    plain.advance();
    with_images.advance();
    EXPECT_LT((plain.current() - with_images.current()).norm(), 1e-12);
  }
}

TEST(ChebyshevRecurrence, TakesWhatTheCallerMakesOfAProduct) {
  // P A P for the projection P that clears the first row.
  const DenseOperator a(with_spectrum(spectrum(), 1));
  Matrix projected = a.matrix(), x = random_matrix(12, 2, 2);
  projected.row(0).setZero();
  projected.col(0).setZero();
  x.row(0).setZero();
  const DenseOperator restricted(projected);
  ChebyshevRecurrence<Matrix> cleared(a, {-0.5, 1.3}, x, 1),
      expected(restricted, {-0.5, 1.3}, x, 1);
  for (int k = 0; k < 6; ++k) {
    cleared.image().row(0).setZero();
    cleared.advance();
    expected.advance();
    EXPECT_LT((cleared.current() - expected.current()).norm(), 1e-12) << k;
  }
}

TEST(ChebyshevRecurrence, IsOneAtTheTopHoweverFarOutside) {
  const DenseOperator a(with_spectrum(spectrum(), 1));
  const Matrix x = random_matrix(12, 2, 3);
  ChebyshevRecurrence<Matrix> scaled(a, {-0.4, 0.1}, x, 1, 1.2);
  for (int k = 0; k < 300; ++k) scaled.advance();
  EXPECT_TRUE(scaled.current().allFinite());
  EXPECT_LE(scaled.current().norm(), x.norm());
  ChebyshevRecurrence<Matrix> few(a, {-0.4, 0.1}, x, 1, 1.2);
  for (int k = 0; k < 5; ++k) few.advance();
  const double at_top = std::cosh(5 * std::acosh((2.0 * 1.2 + 0.4 - 0.1) / 0.5));
  EXPECT_LT((few.current() - polynomial(5, -0.4, 0.1) * x / at_top).norm(), 1e-12);
}

TEST(ChebyshevRecurrence, RunsOnBlocksThatTheHostCannotReach) {
  const DenseOperator on_host(with_spectrum(spectrum(), 1));
  handle::Device device;
  const handle::Operator a(device, on_host);
  const Matrix x = random_matrix(12, 2, 4);
  handle::Block block = a.new_block(2);
  upload(x, block);
  ChebyshevRecurrence<handle::Block> terms(a, {-0.5, 1.3}, std::move(block), 1);
  terms.advance();
  terms.image();
  terms.advance();
  EXPECT_LT((download(terms.current()) - polynomial(2, -0.5, 1.3) * x).norm(), 1e-13);
}

}  // namespace
}  // namespace stkr::chebyshev_recurrence_test
