#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dense_operator.hpp"
#include "dense_reference.hpp"
#include "stkr/error.hpp"
#include "stkr/theory/rkhs_norm.hpp"

namespace stkr::quadratic_form_test {
namespace {

constexpr QuadraticFormOptions kLanczos{.exact_below = 0};

double inverse(double x) { return x > 0.0 ? 1.0 / x : std::numeric_limits<double>::infinity(); }

double by_eigenvectors(const Matrix& a, const Vector& f, const std::function<double(double)>& phi) {
  const reference::Spectrum spectrum(a);
  double sum = 0.0;
  for (Index k = 0; k < a.rows(); ++k) {
    sum += phi(spectrum.values[k]) * std::pow(spectrum.vectors.col(k).dot(f), 2);
  }
  return sum;
}

TEST(QuadraticForm, IsTheSumOverEigenvectors) {
  const Matrix a = with_spectrum(Vector::LinSpaced(60, 0.1, 2.0), 1);
  const Vector f = random_matrix(60, 1, 2).col(0);
  const std::vector<std::function<double(double)>> phis{
      inverse, [](double x) { return std::exp(x); }, [](double x) { return std::pow(x, -2.5); }};
  for (const QuadraticFormOptions& options : {QuadraticFormOptions{}, kLanczos}) {
    const auto found = quadratic_forms(DenseOperator(a), f, phis, options);
    for (std::size_t k = 0; k < phis.size(); ++k) {
      const double expected = by_eigenvectors(a, f, phis[k]);
      EXPECT_NEAR(found[k].value, expected, 1e-8 * expected);
      EXPECT_TRUE(found[k].converged);
      EXPECT_FALSE(found[k].singular);
      EXPECT_NEAR(found[k].weights.sum(), f.squaredNorm(), 1e-9);
      EXPECT_EQ(found[k].nodes.size(), found[k].weights.size());
    }
  }
}

TEST(QuadraticForm, StopsBeforeTheLastStepOnALargeProblem) {
  const Index n = 1500;
  Vector values = Vector::LinSpaced(n, 0.5, 1.5);
  class Diagonal : public LinearOperator {
   public:
    explicit Diagonal(Vector d) : d_(std::move(d)) {}
    Index size() const override { return d_.size(); }
    void apply(ConstMatrixRef x, MatrixRef y) const override { y = d_.asDiagonal() * x; }

   private:
    Vector d_;
  };
  const Vector f = random_matrix(n, 1, 3).col(0);
  const QuadraticForm found = quadratic_form(Diagonal(values), f, inverse);
  const double expected = f.cwiseAbs2().cwiseQuotient(values).sum();
  EXPECT_FALSE(found.exact);
  EXPECT_TRUE(found.converged);
  EXPECT_LT(found.nodes.size(), 60);
  EXPECT_NEAR(found.value, expected, 1e-8 * expected);
  EXPECT_LE(std::abs(found.value - expected), std::max(10.0 * found.error, 1e-12 * expected));
  // One step says nothing about its error.
  const QuadraticForm early =
      quadratic_form(Diagonal(values), f, inverse, {.exact_below = 0, .max_steps = 1});
  EXPECT_FALSE(early.converged);
}

TEST(QuadraticForm, IsInfiniteIfFHasWeightWherePhiIs) {
  Vector values = Vector::Zero(30);
  values.head(10) = Vector::LinSpaced(10, 1.0, 2.0);
  const Matrix a = with_spectrum(values, 4);
  const Vector any = random_matrix(30, 1, 5).col(0);
  const Vector inside = a * any;
  for (const QuadraticFormOptions& options : {QuadraticFormOptions{}, kLanczos}) {
    const QuadraticForm outside = quadratic_form(DenseOperator(a), any, inverse, options);
    EXPECT_TRUE(outside.singular);
    EXPECT_TRUE(std::isinf(outside.value));
    const Vector rest = any - reference::Spectrum(a).vectors.leftCols(10) *
                                  (reference::Spectrum(a).vectors.leftCols(10).transpose() * any);
    EXPECT_NEAR(outside.singular_share, rest.squaredNorm() / any.squaredNorm(), 1e-8);
    // fᵀ A⁺ f = anyᵀ A any
    const QuadraticForm in = quadratic_form(DenseOperator(a), inside, inverse, options);
    EXPECT_FALSE(in.singular);
    EXPECT_NEAR(in.value, any.dot(a * any), 1e-8 * in.value);
  }
}

TEST(QuadraticForm, TakesTheZeroFunctionAndASingleEigenvalue) {
  const DenseOperator eye(Matrix::Identity(20, 20));
  for (const QuadraticFormOptions& options : {QuadraticFormOptions{}, kLanczos}) {
    EXPECT_EQ(quadratic_form(eye, Vector::Zero(20), inverse, options).value, 0.0);
    EXPECT_NEAR(quadratic_form(eye, Vector::Ones(20), inverse, options).value, 20.0, 1e-10);
  }
}

TEST(QuadraticForm, RefusesOtherShapesAndValues) {
  const DenseOperator eye(Matrix::Identity(3, 3));
  EXPECT_THROW(quadratic_form(eye, Vector::Ones(2), inverse), ShapeError);
  EXPECT_THROW(quadratic_form(eye, Vector::Constant(3, std::nan("")), inverse), ValueError);
}

}  // namespace
}  // namespace stkr::quadratic_form_test
