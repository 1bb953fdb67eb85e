#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "runtime/random.hpp"
#include "stkr/error.hpp"
#include "stkr/explain/explain.hpp"

namespace stkr::label_energy_test {
namespace {

constexpr Index kSamples = 120;

// An orthonormal basis whose first vector is constant, as on a regular graph.
Matrix basis(std::uint64_t seed) {
  Random random(seed);
  Matrix a(kSamples, kSamples);
  for (double& value : a.reshaped()) value = random.normal();
  a.col(0).setOnes();
  return Eigen::HouseholderQR<Matrix>(a).householderQ();
}

Vector eigenvalues() {
  Vector values(kSamples);
  for (Index i = 0; i < kSamples; ++i) values[i] = 1.0 / static_cast<double>(i + 1);
  return values;
}

// f with most of its energy in the second to eighth eigenvector.
Matrix labels_of_all(const Matrix& u) {
  Random random(5);
  Matrix f = Matrix::Zero(kSamples, 2);
  for (Index i = 0; i < kSamples; ++i) {
    const double size = i > 0 && i < 8 ? 3.0 : 0.3;
    for (Index c = 0; c < 2; ++c)
      f += size * random.normal() * u.col(i) * Matrix::Identity(2, 2).row(c);
  }
  return f.array() + 2.0;
}

// The shares that all labels have.
Vector dense_shares(const Matrix& u, const Matrix& f, Index first, Index count) {
  Matrix z = f;
  z.rowwise() -= f.colwise().mean();
  Vector shares(1);
  shares[0] = (u.middleCols(first, count).transpose() * z).squaredNorm() / z.squaredNorm();
  return shares;
}

Matrix rows(const Matrix& all, const std::vector<Index>& chosen) {
  Matrix result(static_cast<Index>(chosen.size()), all.cols());
  for (std::size_t k = 0; k < chosen.size(); ++k)
    result.row(static_cast<Index>(k)) = all.row(chosen[k]);
  return result;
}

TEST(LabelEnergy, IsExactIfAllSamplesAreLabeled) {
  const Matrix u = basis(1), f = labels_of_all(u);
  const LabelEnergy found = label_energy(eigenvalues(), u, kSamples, f);
  double total = 0.0;
  for (const EnergyBand& band : found.bands) {
    EXPECT_NEAR(band.share, dense_shares(u, f, band.first - 1, band.count())[0], 1e-12)
        << band.first;
    EXPECT_EQ(band.largest, eigenvalues()[band.first - 1]);
    EXPECT_EQ(band.smallest, eigenvalues()[band.last - 1]);
    total += band.share;
  }
  EXPECT_NEAR(total, 1.0, 1e-12);
  EXPECT_EQ(found.rest.count(), 0);
}

TEST(LabelEnergy, HasBandsOfPowersOfTwoAndARest) {
  const Matrix u = basis(1), f = labels_of_all(u);
  const LabelEnergy found = label_energy(eigenvalues().head(20), u.leftCols(20), kSamples, f);
  ASSERT_EQ(found.bands.size(), 5u);
  const Index firsts[] = {1, 2, 4, 8, 16}, lasts[] = {1, 3, 7, 15, 20};
  for (std::size_t b = 0; b < 5; ++b) {
    EXPECT_EQ(found.bands[b].first, firsts[b]);
    EXPECT_EQ(found.bands[b].last, lasts[b]);
  }
  EXPECT_EQ(found.rest.first, 21);
  EXPECT_EQ(found.rest.last, kSamples);
  EXPECT_NEAR(found.rest.share, dense_shares(u, f, 20, kSamples - 20)[0], 1e-12);
}

// Over random sets of labels, the mean is the energy of all labels, and the standard errors say how
// far single estimates are from it.
TEST(LabelEnergy, IsUnbiasedAndKnowsItsError) {
  const Matrix u = basis(2), f = labels_of_all(u);
  const Index d = 31, draws = 3000;
  const Vector values = eigenvalues().head(d);
  Random random(3);
  std::vector<Vector> shares;
  Vector sum, squares, errors;
  for (Index k = 0; k < draws; ++k) {
    const std::vector<Index> labeled = random.sample(kSamples, 30);
    const LabelEnergy found =
        label_energy(values, rows(u.leftCols(d), labeled), kSamples, rows(f, labeled));
    Vector energy(static_cast<Index>(found.bands.size()) + 1), error(energy.size());
    for (std::size_t b = 0; b < found.bands.size(); ++b) {
      // In units of all labels: the variance of the labels is random too.
      energy[static_cast<Index>(b)] = found.bands[b].share * found.variance;
      error[static_cast<Index>(b)] = found.bands[b].standard_error * found.variance;
    }
    energy[energy.size() - 1] = found.variance;
    error[energy.size() - 1] = 0.0;
    if (k == 0) sum = squares = errors = Vector::Zero(energy.size());
    sum += energy;
    squares += energy.cwiseAbs2();
    errors += error;
  }
  const Vector mean = sum / draws;
  const Vector spread = (squares / draws - mean.cwiseAbs2()).cwiseSqrt();
  Matrix z = f;
  z.rowwise() -= f.colwise().mean();
  const Index first[] = {0, 1, 3, 7, 15}, count[] = {1, 2, 4, 8, 16};
  for (Index b = 0; b < 5; ++b) {
    const double exact =
        (u.middleCols(first[b], count[b]).transpose() * z).squaredNorm() / (kSamples - 1.0);
    EXPECT_NEAR(mean[b], exact, 4.0 * spread[b] / std::sqrt(1.0 * draws) + 0.005 * mean[5]) << b;
    if (b == 0) continue;  // 0, and hardly any spread
    const double ratio = errors[b] / draws / spread[b];
    EXPECT_GT(ratio, 0.7) << b;
    EXPECT_LT(ratio, 1.6) << b;
  }
}

TEST(LabelEnergy, SaysIfThereIsNothingToSee) {
  const Matrix u = basis(1);
  const std::vector<Index> few{1, 5, 7};
  EXPECT_EQ(label_energy(eigenvalues(), rows(u, few), kSamples, Matrix::Identity(3, 2)).unknown,
            "3 labels do not tell; at least 6 are needed");
  EXPECT_EQ(label_energy(eigenvalues(), u, kSamples, Matrix::Ones(kSamples, 2)).unknown,
            "all labels are equal");
}

TEST(LabelEnergy, RejectsShapes) {
  const Matrix u = basis(1);
  EXPECT_THROW(label_energy(eigenvalues().head(3), u, kSamples, Matrix::Ones(kSamples, 2)),
               ShapeError);
  EXPECT_THROW(label_energy(eigenvalues(), u, 7, Matrix::Ones(kSamples, 2)), ShapeError);
}

}  // namespace
}  // namespace stkr::label_energy_test
