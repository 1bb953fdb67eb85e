#include "explain/centered_smoothness.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gram_cases.hpp"

namespace stkr::centered_smoothness_test {
namespace {

using cases::GramCase;

// ‖f - E f‖²_{K̃^p} by the eigenvectors of the centered matrix.
double dense_norm(const Matrix& kernel, const Vector& f, double p) {
  const auto size = static_cast<double>(f.size());
  const reference::Spectrum spectrum(cases::centered(kernel) / size);
  const Vector rest = f.array() - f.mean();
  double sum = 0.0;
  for (Index i = 0; i < f.size(); ++i) {
    const double a = spectrum.vectors.col(i).dot(rest) / std::sqrt(size);
    if (spectrum.values[i] > 1e-10) sum += a * a / std::pow(spectrum.values[i], p);
  }
  return sum;
}

TEST(CenteredSmoothness, IsThatOfTheCenteredKernel) {
  const double scales[] = {1.0, 2.0, 4.0};
  for (const GramCase& gram : cases::gram_cases()) {
    const reference::Spectrum spectrum(gram.kernel);
    if (spectrum.values.minCoeff() < -1e-9 * spectrum.values[0]) continue;  // no norm
    // K̃² c is in the space of K̃^p for p ≤ 4.
    const Matrix centered = cases::centered(gram.kernel) / static_cast<double>(gram.kernel.rows());
    const Vector f = centered * (centered * random_matrix(gram.kernel.rows(), 1, 7)).col(0) +
                     Vector::Ones(centered.rows());
    const auto found = centered_smoothness(*gram.make(1), f, scales, {}, {});
    ASSERT_EQ(found.size(), 3u);
    const double variance = (f.array() - f.mean()).square().mean();
    for (const Smoothness& one : found) {
      EXPECT_NEAR(one.ratio * dense_norm(gram.kernel, f, one.p) / variance, 1.0,
                  one.p < 4.0 ? 1e-6 : 1e-3)
          << gram.name << " " << one.p;
      EXPECT_NEAR(one.variance, variance, 1e-12 * f.squaredNorm());
    }
  }
}

// K c is in the space of K, and less its mean in that of the centered kernel, also if the graph is
// irregular and K has an eigenvalue 0.
TEST(CenteredSmoothness, IsFiniteForFunctionsOfTheSpace) {
  const Matrix w = cases::two_component_graph(22, 3);
  const GramCase gram = cases::graph_case("walk", w, GraphNormalization::lazy_walk);
  const Vector f = gram.kernel * random_matrix(22, 1, 7).col(0);
  const double scales[] = {1.0};
  const auto found = centered_smoothness(*gram.make(1), f, scales, {}, {});
  EXPECT_NEAR(found[0].ratio * dense_norm(gram.kernel, f, 1.0) / found[0].variance, 1.0, 1e-6);
}

TEST(CenteredSmoothness, HasNoRatioOfAConstant) {
  const GramCase gram = cases::gram_cases().front();
  const double scales[] = {1.0};
  const Vector constant = Vector::Constant(gram.kernel.rows(), 0.3);
  EXPECT_TRUE(std::isnan(centered_smoothness(*gram.make(1), constant, scales, {}, {})[0].ratio));
}

}  // namespace
}  // namespace stkr::centered_smoothness_test
