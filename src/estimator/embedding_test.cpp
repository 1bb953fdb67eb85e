#include "estimator/embedding.hpp"

#include <gtest/gtest.h>

#include "gram/dense_gram.hpp"
#include "gram_cases.hpp"
#include "stkr/error.hpp"
#include "transform_cases.hpp"

namespace stkr::embedding_test {
namespace {

using namespace cases;
using reference::relative_error;

class EmbeddingOfEveryGram : public testing::TestWithParam<GramCase> {};

INSTANTIATE_TEST_SUITE_P(Grams, EmbeddingOfEveryGram, testing::ValuesIn(gram_cases()), CaseName());

TEST_P(EmbeddingOfEveryGram, GivesTheLeadingEigenfunctionsAtTheSamples) {
  const auto gram = GetParam().make(1);
  const reference::Dense dense = GetParam().dense();
  const Index d = dense.widest_gap(2, 5);
  const SpectralEmbedding found = spectral_embedding(*gram, d);
  EXPECT_LT(relative_error(found.eigenvalues, dense.values().head(d)), 1e-9);
  // ψ at the samples: orthogonal, mean square 1, and Σ λ ψψᵀ is the best approximation of K.
  const Matrix& psi = found.values;
  const auto n = static_cast<double>(dense.size());
  EXPECT_LT(relative_error(psi.transpose() * psi / n, Matrix::Identity(d, d)), 1e-7);
  const Matrix s_psi = dense.kernel() * psi / n;
  EXPECT_LT(relative_error(s_psi, psi * found.eigenvalues.asDiagonal()), 1e-7);
}

TEST_P(EmbeddingOfEveryGram, PutsASampleThatIsPresentedAgainWhereItWas) {
  auto gram = GetParam().make(1);
  const SpectralEmbedding found = spectral_embedding(*gram, GetParam().dense().widest_gap(2, 5));
  const auto cross = gram->cross_kernel();
  EXPECT_LT(relative_error(cross->apply(GetParam().as_new(), found.coefficients), found.values),
            1e-8);
}

TEST(SpectralEmbedding, HasNoMoreDimensionsThanPositiveEigenvalues) {
  const Matrix v = random_matrix(12, 2, 5);
  const DenseGram gram(Matrix(v * v.transpose()), 1);
  EXPECT_EQ(spectral_embedding(gram, 2).coefficients.cols(), 2);
  try {
    spectral_embedding(gram, 3);
    FAIL() << "no exception";
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("only 2 positive"), std::string::npos) << error.what();
  }
}

TEST(SpectralEmbedding, HasNoMoreDimensionsThanSamples) {
  const GramCase any = gram_cases()[0];
  const auto gram = any.make(1);
  const reference::Dense dense(any.kernel);
  const Index too_many = dense.size() + 1;
  EXPECT_THROW(spectral_embedding(*gram, too_many), ValueError);
}

}  // namespace
}  // namespace stkr::embedding_test
