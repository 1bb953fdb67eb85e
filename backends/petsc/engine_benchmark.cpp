// Our products and eigenpairs beside PETSc's and SLEPc's, on the same generated graph:
//   mpirun -n 2 engine_benchmark [NODES [DEGREE [COLUMNS]]]
#include <fmt/format.h>
#include <petscmat.h>
#include <slepceps.h>

#include <chrono>
#include <cstdio>
#include <functional>

#include "halo_operator.hpp"
#include "runtime/random.hpp"
#include "session.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace stkr::petsc {
namespace {

// Node i is joined to i ± each of some distances: every tenth of them long.
CsrMatrix ring(const RowLayout& layout, Index degree) {
  Random random(1);
  std::vector<Index> steps;
  for (Index k = 0; k < degree / 2; ++k) {
    const Index most = k % 10 == 9 ? layout.size() / 2 - 1 : layout.size() / 1000 + degree;
    steps.push_back(1 + random.below(most));
  }
  std::vector<Triplet> entries;
  for (Index i = 0; i < layout.count(); ++i) {
    for (const Index step : steps) {
      for (const Index j : {layout.first() + i + step, layout.first() + i - step + layout.size()}) {
        entries.push_back({static_cast<std::int32_t>(i),
                           static_cast<std::int32_t>(j % layout.size()),
                           1.0 / static_cast<double>(2 * steps.size())});
      }
    }
  }
  return csr_from_triplets(layout.count(), layout.size(), std::move(entries));
}

double seconds(const RowLayout& layout, int repetitions, const std::function<void()>& work) {
  work();
  MPI_Barrier(layout.comm());
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < repetitions; ++k) work();
  MPI_Barrier(layout.comm());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
         repetitions;
}

int run(const Session& session, Index nodes, Index degree, Index columns) {
  const Layout layout = RowLayout::equal(session.comm(), nodes);
  CsrMatrix rows = ring(*layout, degree);
  // PETSc's matrix of the same entries.
  Mat a = nullptr;
  std::vector<PetscInt> starts(rows.row_start.begin(), rows.row_start.end());
  std::vector<PetscInt> indices(rows.column.begin(), rows.column.end());
  check(MatCreateMPIAIJWithArrays(session.comm(), layout->count(), layout->count(), nodes, nodes,
                                  starts.data(), indices.data(), rows.value.data(), &a),
        "a matrix");
  const auto matrix = std::make_shared<const HaloMatrix>(layout, std::move(rows));
  const HaloOperator op(matrix, 0.0, 1, {});
  PetscBlock x(layout, columns), y(layout, columns);
  Random random(2);
  fill_normal(random, x);
  const double ours = seconds(*layout, 5, [&] { op.apply(x, y); });

  Mat dense = nullptr, product = nullptr;
  check(MatCreateDense(session.comm(), layout->count(), PETSC_DECIDE, nodes, columns, nullptr,
                       &dense),
        "a dense matrix");
  PetscScalar* values = nullptr;
  PetscInt stride = 0;
  MatDenseGetLDA(dense, &stride);
  MatDenseGetArrayWrite(dense, &values);
  for (Index i = 0; i < layout->count(); ++i) {
    for (Index c = 0; c < columns; ++c) values[i + c * stride] = x.local()(i, c);
  }
  MatDenseRestoreArrayWrite(dense, &values);
  MatAssemblyBegin(dense, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(dense, MAT_FINAL_ASSEMBLY);
  check(MatMatMult(a, dense, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &product), "a product");
  const double theirs = seconds(*layout, 5, [&] {
    check(MatMatMult(a, dense, MAT_REUSE_MATRIX, PETSC_DEFAULT, &product), "a product");
  });

  if (session.rank() == 0) {
    fmt::print("{} processes, {} nodes, {} entries, {} columns\n", session.ranks(), nodes,
               nodes * (degree / 2) * 2, columns);
    fmt::print("product: own rows and PetscSF {:.4f} s, MatMatMult {:.4f} s\n", ours, theirs);
    std::fflush(stdout);
  }

  constexpr Index kPairs = 16;
  Eigenpairs pairs;
  const SharedCsrOperator shared(matrix, 0.0, 1, {});
  const auto start = std::chrono::steady_clock::now();
  pairs = top_eigenpairs(shared, kPairs, {.tolerance = 1e-8});
  const double own_pairs =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (session.rank() == 0) {
    fmt::print("{} eigenpairs: filtered Lanczos {:.2f} s, {} products\n", kPairs, own_pairs,
               pairs.summary.products);
    std::fflush(stdout);
  }
  EPS solver = nullptr;
  EPSCreate(session.comm(), &solver);
  EPSSetOperators(solver, a, nullptr);
  EPSSetProblemType(solver, EPS_HEP);
  EPSSetWhichEigenpairs(solver, EPS_LARGEST_REAL);
  EPSSetDimensions(solver, kPairs, PETSC_DEFAULT, PETSC_DEFAULT);
  EPSSetTolerances(solver, 1e-8, 10000);
  const auto begin = std::chrono::steady_clock::now();
  check(EPSSolve(solver), "eigenpairs");
  const double slepc =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  PetscInt found = 0;
  EPSGetConverged(solver, &found);
  if (session.rank() == 0)
    fmt::print("{} eigenpairs: SLEPc {:.2f} s, {} found\n", kPairs, slepc, found);
  EPSDestroy(&solver);
  MatDestroy(&product);
  MatDestroy(&dense);
  MatDestroy(&a);
  return 0;
}

}  // namespace
}  // namespace stkr::petsc

int main(int argc, char** argv) {
  const stkr::petsc::Session session(argc, argv);
  const auto argument = [&](int k, stkr::Index otherwise) {
    return argc > k ? static_cast<stkr::Index>(std::atoll(argv[k])) : otherwise;
  };
  return stkr::petsc::run(session, argument(1, 200'000), argument(2, 20), argument(3, 10));
}
