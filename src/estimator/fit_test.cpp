#include "stkr/estimator/fit.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "estimator/gram_spectrum.hpp"
#include "estimator/kernel_pca.hpp"
#include "estimator/label_propagation.hpp"
#include "gram/dense_gram.hpp"
#include "gram_cases.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/stkr.hpp"

namespace stkr::fit_test {
namespace {

using namespace cases;

using Method =
    std::function<Fit(const GramOperator&, const std::vector<Index>&, const Matrix&, double beta)>;

std::vector<std::pair<std::string, Method>> methods() {
  std::vector<std::pair<std::string, Method>> all;
  for (const StkrSolver solver : {StkrSolver::automatic, StkrSolver::direct, StkrSolver::richardson,
                                  StkrSolver::cg, StkrSolver::minres, StkrSolver::diagonalize}) {
    all.emplace_back(to_string(solver), [solver](const GramOperator& gram, const auto& labeled,
                                                 const Matrix& y, double beta) {
      StkrOptions options;
      options.transform = SpectralTransform::power(2);
      options.beta = beta;
      options.solver = solver;
      return fit_stkr(gram, labeled, y, options);
    });
  }
  all.emplace_back("kernel ridge",
                   [](const GramOperator& gram, const auto& labeled, const Matrix& y, double beta) {
                     return fit_kernel_ridge(gram, labeled, y, {.beta = beta});
                   });
  all.emplace_back("kernel PCA",
                   [](const GramOperator& gram, const auto& labeled, const Matrix& y, double beta) {
                     return fit_kernel_pca(gram, labeled, y, {.dimension = 2, .beta = beta});
                   });
  all.emplace_back("label propagation",
                   [](const GramOperator& gram, const auto& labeled, const Matrix& y, double) {
                     return fit_label_propagation(gram, labeled, y, {.eta = 0.5});
                   });
  return all;
}

// The message must name the problem.
template <class Error>
void expect_refused(const std::vector<Index>& labeled, const Matrix& y, double beta,
                    const std::string& mentions) {
  const auto gram = gram_cases()[0].make(1);
  for (const auto& [name, fit] : methods()) {
    SCOPED_TRACE(name);
    try {
      fit(*gram, labeled, y, beta);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(mentions), std::string::npos) << error.what();
    }
  }
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Fit, NeedsALabeledSample) {
  expect_refused<ValueError>({}, Matrix(0, 1), 0.1, "no labeled sample");
}

TEST(Fit, RefusesLabeledIndicesOutOfRangeAndTwice) {
  expect_refused<ValueError>({1, 24}, Matrix::Ones(2, 1), 0.1, "24");
  expect_refused<ValueError>({1, -3}, Matrix::Ones(2, 1), 0.1, "-3");
  expect_refused<ValueError>({5, 7, 5}, Matrix::Ones(3, 1), 0.1, "sample 5");
}

TEST(Fit, RefusesTargetsThatAreNotFinite) {
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    Matrix y = Matrix::Ones(3, 2);
    y(1, 1) = bad;
    expect_refused<ValueError>({5, 7, 9}, y, 0.1, "sample 7");
  }
}

TEST(Fit, RefusesTargetsOfTheWrongShape) {
  expect_refused<ShapeError>({5, 7, 9}, Matrix::Ones(2, 1), 0.1, "2 x 1");
  expect_refused<ShapeError>({5, 7, 9}, Matrix::Ones(24, 1), 0.1, "24 x 1");
  expect_refused<ShapeError>({5, 7, 9}, Matrix(3, 0), 0.1, "3 x 0");
}

TEST(Fit, RefusesARidgeThatIsNotPositive) {
  const auto gram = gram_cases()[0].make(1);
  for (const auto& [beta, mentions] :
       {std::pair{0.0, "beta = 0;"}, {-0.25, "-0.25"}, {kNan, "nan"}, {kInfinity, "inf"}}) {
    for (const auto& [name, fit] : methods()) {
      if (name == "label propagation") continue;  // it has no ridge
      SCOPED_TRACE(name);
      try {
        fit(*gram, {1, 2}, Matrix::Ones(2, 1), beta);
        ADD_FAILURE() << "accepted " << beta;
      } catch (const ValueError& error) {
        EXPECT_NE(std::string(error.what()).find(mentions), std::string::npos) << error.what();
      }
    }
  }
}

// Squares of such values are 0 or infinite, and so are norms.
TEST(Fit, RefusesKernelsWhoseSquaresAreNotNumbers) {
  const Matrix x = random_matrix(30, 2, 4);
  const Matrix k = x * x.transpose() + Matrix::Identity(30, 30);
  for (const double scale : {1e-165, 1e-300, 1e150}) {
    const DenseGram gram(scale * k);
    for (const auto& [name, fit] : methods()) {
      SCOPED_TRACE(name);
      try {
        fit(gram, {1, 2, 5}, Matrix::Ones(3, 1), 0.1 * scale);
        ADD_FAILURE() << "accepted " << scale;
      } catch (const ValueError& error) {
        EXPECT_NE(std::string(error.what()).find("multiply the kernel"), std::string::npos)
            << error.what();
      }
    }
    EXPECT_THROW(largest_eigenvalue(gram), ValueError);
  }
  // If they are finite, so are the predictions.
  const double one = largest_eigenvalue(DenseGram(k));
  for (const double scale : {1e-130, 1e130}) {
    EXPECT_NEAR(largest_eigenvalue(DenseGram(scale * k)) / scale / one, 1.0, 1e-9);
  }
}

TEST(Fit, CountsTheUnlabeledSamplesInOrder) {
  EXPECT_EQ(unlabeled_samples(5, std::vector<Index>{3, 0}), (std::vector<Index>{1, 2, 4}));
  EXPECT_EQ(unlabeled_samples(2, std::vector<Index>{}), (std::vector<Index>{0, 1}));
  EXPECT_TRUE(unlabeled_samples(2, std::vector<Index>{1, 0}).empty());
  EXPECT_THROW(unlabeled_samples(2, std::vector<Index>{2}), ValueError);
  EXPECT_THROW(unlabeled_samples(2, std::vector<Index>{-1}), ValueError);
}

TEST(Fit, FillsEveryFieldForEveryMethod) {
  const auto gram = gram_cases()[0].make(1);
  for (const auto& [name, method] : methods()) {
    SCOPED_TRACE(name);
    const Fit fit = method(*gram, {3, 9, 4}, Matrix::Ones(3, 2), 0.2);
    EXPECT_EQ(fit.coefficients.rows(), kSamples);
    EXPECT_EQ(fit.coefficients.cols(), 2);
    EXPECT_EQ(fit.fitted.rows(), kSamples);
    EXPECT_EQ(fit.fitted.cols(), 2);
    EXPECT_TRUE(fit.summary.solve.converged());
    EXPECT_FALSE(fit.summary.method.empty());
    EXPECT_FALSE(fit.summary.transform.empty());
    EXPECT_FALSE(fit.summary.solve.solver.empty());
    EXPECT_GT(fit.summary.products, 0);
    EXPECT_GE(fit.summary.seconds, 0.0);
  }
}

}  // namespace
}  // namespace stkr::fit_test
