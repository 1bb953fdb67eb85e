// Fits and eigenvalues of processes against the engine's own solvers, which share no code with
// ours.
#include <gtest/gtest.h>
#include <petscksp.h>
#include <slepceps.h>

#include "estimator/label_propagation.hpp"
#include "shared_cases.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace stkr::shared_oracle_test {

using petsc::graph_cases;
using petsc::GraphCase;
using petsc::Labeled;
using petsc::labels_of;
using petsc::shared_gram;
using petsc::SharedGraphGram;

constexpr double kSame = 1e-8;

// The same matrix as a PETSc matrix, by PETSc's own assembly.
Mat petsc_matrix(const GraphGram& gram, double eta, bool identity) {
  const Index n = gram.size();
  Mat a = nullptr;
  MatCreate(PETSC_COMM_WORLD, &a);
  MatSetSizes(a, PETSC_DECIDE, PETSC_DECIDE, n, n);
  MatSetType(a, MATAIJ);
  MatSetUp(a);
  MatSetOption(a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE);
  PetscInt begin = 0, end = 0;
  MatGetOwnershipRange(a, &begin, &end);
  std::vector<Index> all(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = i;
  const Matrix dense = gram.block(all, all) / static_cast<double>(n);
  for (PetscInt i = begin; i < end; ++i) {
    for (PetscInt j = 0; j < n; ++j) {
      const double v = (identity && i == j ? 1.0 : 0.0) + eta * dense(i, j);
      if (v != 0.0) MatSetValue(a, i, j, v, INSERT_VALUES);
    }
  }
  MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY);
  return a;
}

TEST(SharedOracle, LabelPropagationIsTheSolutionOfAPetscSolver) {
  const GraphCase one = graph_cases()[0];
  const GraphGram whole(one.weights, {.threads = 1});
  const SharedGraphGram gram = shared_gram(one.weights, GraphNormalization::symmetric);
  const auto& layout = dynamic_cast<const petsc::RowLayout&>(*gram.shared_rows());
  const Labeled labels = labels_of(whole.size(), false);
  LabelPropagationOptions options;
  options.eta = 0.9;
  options.tolerance = 1e-12;
  const Fit fit = fit_label_propagation(gram, labels.samples, labels.y, options);

  Mat q = petsc_matrix(whole, -0.9, true);
  KSP solver = nullptr;
  KSPCreate(PETSC_COMM_WORLD, &solver);
  KSPSetOperators(solver, q, q);
  KSPSetType(solver, KSPGMRES);
  KSPSetTolerances(solver, 1e-13, PETSC_DEFAULT, PETSC_DEFAULT, 1000);
  for (Index c = 0; c < 2; ++c) {
    Vec x = nullptr, b = nullptr;
    MatCreateVecs(q, &x, &b);
    const Matrix rhs = scatter_samples(&layout, labels.y.col(c), labels.samples, whole.size());
    PetscScalar* values = nullptr;
    VecGetArray(b, &values);
    for (Index i = 0; i < layout.count(); ++i) values[i] = rhs(i, 0);
    VecRestoreArray(b, &values);
    KSPSolve(solver, b, x);
    const PetscScalar* solved = nullptr;
    VecGetArrayRead(x, &solved);
    for (Index i = 0; i < layout.count(); ++i) EXPECT_NEAR(fit.fitted(i, c), solved[i], kSame);
    VecRestoreArrayRead(x, &solved);
    VecDestroy(&x);
    VecDestroy(&b);
  }
  KSPDestroy(&solver);
  MatDestroy(&q);
}

TEST(SharedOracle, FindsTheEigenvaluesThatSlepcFinds) {
  const GraphCase one = graph_cases()[1];
  const GraphGram whole(one.weights, {.threads = 1});
  const SharedGraphGram gram = shared_gram(one.weights, GraphNormalization::symmetric);
  constexpr Index kCount = 8;
  const Eigenpairs own = top_eigenpairs(gram, kCount, {.tolerance = 1e-10});
  EXPECT_EQ(own.vectors.rows(), gram.local_size());

  Mat s = petsc_matrix(whole, 1.0, false);
  EPS solver = nullptr;
  EPSCreate(PETSC_COMM_WORLD, &solver);
  EPSSetOperators(solver, s, nullptr);
  EPSSetProblemType(solver, EPS_HEP);
  EPSSetType(solver, EPSKRYLOVSCHUR);
  EPSSetWhichEigenpairs(solver, EPS_LARGEST_REAL);
  EPSSetDimensions(solver, kCount, PETSC_DEFAULT, PETSC_DEFAULT);
  EPSSetTolerances(solver, 1e-12, 1000);
  EPSSolve(solver);
  PetscInt found = 0;
  EPSGetConverged(solver, &found);
  ASSERT_GE(found, kCount);
  for (Index k = 0; k < kCount; ++k) {
    PetscScalar value = 0.0;
    EPSGetEigenvalue(solver, k, &value, nullptr);
    // A Krylov space of one vector misses copies of an eigenvalue: each of its values is one of
    // ours or between them.
    EXPECT_LE(value, own.values[k] + kSame);
  }
  PetscScalar largest = 0.0;
  EPSGetEigenvalue(solver, 0, &largest, nullptr);
  EXPECT_NEAR(largest, own.values[0], kSame);
  EPSDestroy(&solver);
  MatDestroy(&s);
}

}  // namespace stkr::shared_oracle_test
