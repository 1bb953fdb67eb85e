#include "handle_block.hpp"

#include <gtest/gtest.h>

#include "dense_operator.hpp"
#include "linop/restriction.hpp"
#include "runtime/random.hpp"
#include "solver/cg_template.hpp"
#include "solver/eigenpairs_template.hpp"
#include "solver/minres_template.hpp"
#include "solver/nystrom_preconditioner_template.hpp"
#include "solver/orthonormal_basis_template.hpp"
#include "solver/resolvent_space_template.hpp"
#include "solver/richardson_template.hpp"
#include "solver/spectrum_template.hpp"

namespace stkr {

// All that a backend instantiates to have the solvers on its blocks; the other tests use it.
using HandleOperator = BasicLinearOperator<handle::Block>;
using HandleResult = BasicSolveResult<handle::Block>;
template HandleResult solve_cg(const HandleOperator&, handle::ConstView,
                               const BasicCgOptions<handle::Block>&, const Context&);
template HandleResult solve_minres(const HandleOperator&, handle::ConstView,
                                   const BasicSolverOptions<handle::Block>&, const Context&);
template HandleResult solve_richardson(const HandleOperator&, handle::ConstView,
                                       const BasicRichardsonOptions<handle::Block>&,
                                       const Context&);
template SpectrumEstimate estimate_spectrum(const HandleOperator&, const SpectrumOptions&,
                                            const Context&);
template BasicEigenpairs<handle::Block> top_eigenpairs(const HandleOperator&, Index,
                                                       const EigenpairOptions&, const Context&);
template BasicOrthonormalBasis<handle::Block> orthonormal_basis(
    const handle::Block&, double, const std::vector<handle::ConstView>&, int);
template class BasicNystromPreconditioner<handle::Block>;
template class BasicResolventSpace<handle::Block>;

namespace {

constexpr Index kColumns = 4;

// diag(1, ..., 2) in random order.
class DiagonalOperator : public LinearOperator {
 public:
  DiagonalOperator(Index size, std::uint64_t seed) : diagonal_(size) {
    Random random(seed);
    for (double& value : diagonal_) value = 1.0 + random.uniform();
  }
  Index size() const override { return diagonal_.size(); }
  void apply(ConstMatrixRef x, MatrixRef y) const override { y = diagonal_.asDiagonal() * x; }

 private:
  Vector diagonal_;
};

handle::Block random_block(handle::Device& device, Index rows, Index columns, std::uint64_t seed) {
  handle::Block block(device, rows, columns);
  Random random(seed);
  fill_normal(random, block);
  return block;
}

// What ten steps of conjugate gradients move, with deflation, a preconditioner and a warm start.
handle::Device ten_steps(Index size, std::uint64_t seed) {
  const DiagonalOperator on_host(size, seed);
  handle::Device preparation;
  const handle::Operator prepared(preparation, on_host);
  const BasicNystromPreconditioner<handle::Block> preconditioner(prepared, 1.0, {.rank = 8});
  const KnownEigenspace space(0.0, 1, std::vector<std::int32_t>(size, 0), Vector::Ones(size));
  const handle::Block initial = random_block(preparation, size, kColumns, seed + 1);
  handle::Device device;
  const handle::Operator a(device, on_host);
  BasicCgOptions<handle::Block> options;
  options.tolerance = 1e-300;
  options.max_iterations = 10;
  options.deflation = {&space, 1.0};
  options.initial = &initial;
  const HandleResult result = solve_cg(a, random_block(device, size, kColumns, seed + 2), options);
  EXPECT_EQ(result.summary.iterations, 10);
  options.preconditioner = &preconditioner;
  solve_cg(a, random_block(device, size, kColumns, seed + 3), options);
  return device;
}

TEST(HandleBlock, MovesOnlyScalarsInConjugateGradientsWhateverTheSize) {
  const handle::Device small = ten_steps(500, 1);
  EXPECT_GT(small.transfers(), 0);
  for (const auto& [size, seed] : {std::pair<Index, std::uint64_t>{500, 2}, {20000, 1}}) {
    const handle::Device other = ten_steps(size, seed);
    EXPECT_EQ(other.transfers(), small.transfers()) << size;
    EXPECT_EQ(other.numbers(), small.numbers()) << size;
  }
  EXPECT_LE(small.largest(), kColumns * kColumns);
}

TEST(HandleBlock, MovesOnlySmallMatricesInTheSearchForEigenpairs) {
  const Index size = 5000;
  const DiagonalOperator on_host(size, 3);
  handle::Device device;
  const auto pairs =
      top_eigenpairs(handle::Operator(device, on_host), 4, {.tolerance = 1e-4, .dense_below = 10});
  EXPECT_TRUE(pairs.summary.converged());
  EXPECT_GT(device.transfers(), 0);
  EXPECT_LT(device.largest(), size);
}

TEST(HandleBlock, IsRestrictedToSomeSamples) {
  const DenseOperator on_host(with_spectrum(Vector::LinSpaced(6, -1, 1), 1));
  handle::Device device;
  const handle::Operator a(device, on_host);
  const std::vector<Index> samples{5, 0, 3};
  const BasicRestriction<handle::Block> restricted(a, samples, 2.5);
  EXPECT_EQ(restricted.local_size(), 3);
  handle::Block identity = restricted.new_block(3);
  upload(Matrix::Identity(3, 3), identity);
  const Matrix found = download(product<handle::Block>(restricted, identity));
  EXPECT_LT((found - 2.5 * on_host.matrix()(samples, samples)).norm(), 1e-15);
}

}  // namespace
}  // namespace stkr
