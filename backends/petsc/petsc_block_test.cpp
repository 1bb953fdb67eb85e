#include "petsc_block.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/random.hpp"
#include "session.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc_block_test {

using petsc::PetscBlock;
using petsc::RowLayout;

Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  Random random(seed);
  Matrix x(rows, columns);
  fill_normal(random, x);
  return x;
}

// Also fewer rows than processes, and none: some processes are then empty.
const std::vector<Index> kSizes = {0, 1, 2, 3, 50, 1000};

PetscBlock put(ConstMatrixRef host) {
  PetscBlock block(RowLayout::equal(PETSC_COMM_WORLD, host.rows()), host.cols());
  upload(host, block);
  return block;
}

TEST(PetscBlock, HoldsConsecutiveRows) {
  for (const Index n : kSizes) {
    const auto layout = RowLayout::equal(PETSC_COMM_WORLD, n);
    EXPECT_EQ(layout->size(), n);
    const std::vector<Index> own(static_cast<std::size_t>(layout->count()), layout->first());
    EXPECT_EQ(static_cast<Index>(layout->joined(own).size()), n);
    for (Index i = 0; i < n; ++i) {
      EXPECT_EQ(layout->owner(i) == layout->owner(layout->first()) && layout->count() > 0,
                layout->local(i) >= 0 && layout->count() > 0);
    }
  }
}

TEST(PetscBlock, ComesBackAsItWasUploaded) {
  for (const Index n : kSizes) {
    const Matrix x = random_matrix(n, 3, 1);
    EXPECT_EQ(download(put(x)), x);
  }
}

TEST(PetscBlock, HasTheRandomNumbersOfTheHost) {
  for (const Index n : kSizes) {
    Random host(7), engine(7);
    Matrix x(n, 4);
    fill_normal(host, x);
    PetscBlock y = put(Matrix::Zero(n, 4));
    fill_normal(engine, y);
    EXPECT_EQ(download(y), x);
    EXPECT_EQ(host.uniform(), engine.uniform());
  }
}

TEST(PetscBlock, SumsOverAllRows) {
  for (const Index n : kSizes) {
    const Matrix x = random_matrix(n, 5, 2), y = random_matrix(n, 3, 3);
    const PetscBlock px = put(x), py = put(y);
    const double close = 1e-12 * static_cast<double>(n + 1);
    EXPECT_LE((tall_product(px, py, 1) - x.transpose() * y).cwiseAbs().sum(), close);
    EXPECT_LE((symmetric_tall_product(px, px, 1) - x.transpose() * x).cwiseAbs().sum(), close);
    EXPECT_LE((column_norms(px, 1) - x.colwise().norm().transpose()).cwiseAbs().sum(), close);
    EXPECT_LE((column_dots(px, px, 1) - x.colwise().squaredNorm().transpose()).cwiseAbs().sum(),
              close);
  }
}

TEST(PetscBlock, FindsAValueThatIsNotFiniteInAnyProcess) {
  for (const Index at : {Index{0}, Index{49}}) {
    Matrix x = random_matrix(50, 2, 5);
    EXPECT_TRUE(all_finite(put(x), 1));
    x(at, 1) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(all_finite(put(x), 1));
  }
}

TEST(PetscBlock, GathersAndScattersRowsByTheirGlobalNumbers) {
  const Matrix x = random_matrix(30, 2, 6);
  const std::vector<Index> samples = {29, 0, 13, 14};
  const PetscBlock px = put(x);
  EXPECT_EQ(gather_rows(px, samples), gather_rows(x, samples));
  PetscBlock part = block_of_rows(px, samples, 2);
  gather_rows(2.0, px, samples, part, 1);
  PetscBlock back = put(Matrix::Zero(30, 2));
  scatter_rows(part, samples, back, 1);
  Matrix expected = Matrix::Zero(30, 2);
  scatter_rows(2.0 * gather_rows(x, samples), samples, expected, 1);
  EXPECT_EQ(download(back), expected);
}

TEST(PetscBlock, RemovesEigenvectorsThatSpanProcesses) {
  const Index n = 23;
  const Matrix x = random_matrix(n, 3, 8);
  std::vector<std::int32_t> group;
  for (Index i = 0; i < n; ++i) group.push_back(i < 15 ? 0 : i == 15 ? -1 : 1);
  const KnownEigenspace space(1.0, 2, group, random_matrix(n, 1, 9).cwiseAbs().col(0));
  Matrix expected = x;
  space.project_out(expected);
  PetscBlock px = put(x);
  project_out(space, px, 1);
  EXPECT_LE((download(px) - expected).norm(), 1e-13);
  add_projection(space, 2.0, put(x), px, 1);
  add_projection(space, 2.0, x, expected, 1);
  EXPECT_LE((download(px) - expected).norm(), 1e-13);
}

TEST(Session, AgreesOnTheErrorOfTheLowestRank) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  EXPECT_NO_THROW(petsc::agree(PETSC_COMM_WORLD, [] {}));
  try {
    petsc::agree(PETSC_COMM_WORLD, [&] {
      if (rank == ranks - 1) throw DataError("row 7 is missing");
    });
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "row 7 is missing");
  }
}

}  // namespace stkr::petsc_block_test
