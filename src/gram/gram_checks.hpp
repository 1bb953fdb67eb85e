#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "stkr/gram/gram_operator.hpp"

// Checks the contract of every kind of gram against its explicit kernel matrix.
namespace stkr {

inline Matrix random_normals(Index rows, Index cols, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Matrix result(rows, cols);
  for (Index i = 0; i < result.size(); ++i) result.data()[i] = normal(random);
  return result;
}

inline std::vector<Index> all_samples(Index n) {
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

inline double largest_difference(const Matrix& a, const Matrix& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  return a.size() == 0 ? 0.0 : (a - b).cwiseAbs().maxCoeff();
}

// Compares apply, block, columns and restricted with the dense kernel matrix G_K.
inline void expect_gram(const GramOperator& gram, const Matrix& kernel, double tolerance,
                        const std::string& what) {
  SCOPED_TRACE(what);
  const Index n = kernel.rows();
  ASSERT_EQ(gram.size(), n);
  const double scale = std::max(1.0, kernel.cwiseAbs().maxCoeff());
  for (const Index columns : {1, 3, 10, 14}) {
    const Matrix x = random_normals(n, columns, 5u);
    const Matrix expected = kernel.lazyProduct(x) / static_cast<double>(n);
    EXPECT_LT(largest_difference(product(gram, x), expected), tolerance * scale)
        << columns << " columns";
  }
  const auto all = all_samples(n);
  EXPECT_LT(largest_difference(gram.block(all, all), kernel), tolerance * scale);

  // In any order, with repeated samples.
  const std::vector<Index> rows{n - 1, 0, n / 2, 0};
  const std::vector<Index> columns{n / 2, n - 1, n - 1};
  const Matrix some = gram.block(rows, columns);
  const Matrix tall = gram.columns(columns);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_NEAR(some(i, j), kernel(rows[i], columns[j]), tolerance * scale);
    }
    EXPECT_LT(largest_difference(tall.col(j), kernel.col(columns[j])), tolerance * scale);
  }

  std::vector<Index> every_third;
  for (Index i = 0; i < n; i += 3) every_third.push_back(i);
  const auto restricted = gram.restricted(every_third, 2.5);
  const Matrix x = random_normals(restricted->size(), 3, 6u);
  Matrix expected = Matrix::Zero(restricted->size(), 3);
  for (std::size_t i = 0; i < every_third.size(); ++i) {
    for (std::size_t j = 0; j < every_third.size(); ++j) {
      expected.row(i) +=
          2.5 / static_cast<double>(n) * kernel(every_third[i], every_third[j]) * x.row(j);
    }
  }
  EXPECT_LT(largest_difference(product(*restricted, x), expected), 2.5 * tolerance * scale);
}

// Every eigenvalue of S lies within bounds().
inline void expect_bounds(const GramOperator& gram, const Matrix& eigenvalues) {
  EXPECT_GE(eigenvalues.minCoeff(), gram.bounds().lower - 1e-12);
  EXPECT_LE(eigenvalues.maxCoeff(), gram.bounds().upper + 1e-12);
}

// S U = λ U with Uᵀ U = I for the known eigenvectors.
inline void expect_known_eigenspace(const GramOperator& gram, double tolerance) {
  const KnownEigenspace* known = gram.known_eigenspace();
  ASSERT_NE(known, nullptr);
  ASSERT_EQ(known->size(), gram.size());
  Matrix u = Matrix::Zero(gram.size(), known->dimension());
  known->add(Matrix::Identity(known->dimension(), known->dimension()), u);
  EXPECT_LT(largest_difference(product(gram, u), known->eigenvalue() * u), tolerance);
  EXPECT_LT(largest_difference(u.transpose().lazyProduct(u),
                               Matrix::Identity(known->dimension(), known->dimension())),
            1e-12);
}

// The message of the exception of type E that `call` throws.
template <class E, class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "no exception of the expected type";
  return "";
}

}  // namespace stkr
