#pragma once

#include <gtest/gtest.h>

#include <list>
#include <string>
#include <type_traits>
#include <vector>

#include "handle_block.hpp"
#include "solver/nystrom_preconditioner.hpp"
#include "solver/orthonormal_basis.hpp"
#include "solver/resolvent_space.hpp"
#include "solver/richardson.hpp"
#include "solver/spectrum.hpp"
#include "stkr/solver/eigenpairs.hpp"
#include "stkr/solver/krylov.hpp"
#include "transform/chebyshev.hpp"
#include "transform/operator_polynomial.hpp"
#ifdef STKR_TEST_CUDA
#include "cuda_block.hpp"
#include "stkr/runtime/device.hpp"
#endif
#ifdef STKR_TEST_PETSC
#include "petsc_block.hpp"
#endif

namespace stkr {

// The solvers on every block type, with problems and results on the host:
//   template <class Block>
//   class Cg : public OnBlocks<Block> {};
//   TYPED_TEST_SUITE(Cg, BlockTypes, BlockNames);
//   TYPED_TEST(Cg, Solves) { const SolveResult result = cg_on<TypeParam>(a, b); ... }
// The same sources are compiled again for CUDA blocks (backends/cuda) and for those of the PETSc
// engine (backends/petsc), where every process runs them.
#ifdef STKR_TEST_CUDA
using OtherBlock = cuda::CudaBlock;
using BlockTypes = ::testing::Types<OtherBlock>;
inline constexpr const char* kOtherName = "Cuda";
#elif defined STKR_TEST_PETSC
using OtherBlock = petsc::PetscBlock;
using BlockTypes = ::testing::Types<OtherBlock>;
inline constexpr const char* kOtherName = "Petsc";
#else
using OtherBlock = handle::Block;
using BlockTypes = ::testing::Types<Matrix, OtherBlock>;
inline constexpr const char* kOtherName = "Handle";
#endif

struct BlockNames {
  template <class Block>
  static std::string GetName(int) {
    return std::is_same_v<Block, Matrix> ? "Host" : kOtherName;
  }
};

template <class Block>
class OnBlocks : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef STKR_TEST_CUDA
    if (Device::names().size() < 2) GTEST_SKIP() << "skipped: no device";
#endif
  }
};

#ifdef STKR_TEST_CUDA
// An operator of the host on blocks of the device: every product is a round trip.
class OtherOperator : public BasicLinearOperator<OtherBlock> {
 public:
  explicit OtherOperator(const LinearOperator& op) : op_(op) {}

  Index size() const override { return op_.size(); }
  OtherBlock new_block(Index columns) const override { return {size(), columns}; }
  void apply(cuda::ConstCudaView x, cuda::CudaView y) const override {
    upload(product(op_, download(x)), y);
  }
  Index panel_columns() const override { return op_.panel_columns(); }

 private:
  const LinearOperator& op_;
};
#endif

#ifdef STKR_TEST_PETSC
// An operator of the host on blocks of the engine: every product gathers all rows.
class OtherOperator : public BasicLinearOperator<OtherBlock> {
 public:
  explicit OtherOperator(const LinearOperator& op)
      : op_(op), layout_(petsc::RowLayout::equal(PETSC_COMM_WORLD, op.size())) {}

  Index size() const override { return op_.size(); }
  const SharedRows* shared_rows() const override { return layout_.get(); }
  OtherBlock new_block(Index columns) const override { return {layout_, columns}; }
  void apply(petsc::ConstView x, petsc::View y) const override {
    upload(product(op_, download(x)), y);
  }

 private:
  const LinearOperator& op_;
  petsc::Layout layout_;
};
#endif

// Takes operators and blocks of the host to blocks of a type, and back.
template <class Block>
class Stage {
 public:
  const BasicLinearOperator<Block>& put(const LinearOperator& op) {
    if constexpr (std::is_same_v<Block, Matrix>) {
      return op;
    } else {
#if defined STKR_TEST_CUDA || defined STKR_TEST_PETSC
      return operators_.emplace_back(op);
#else
      return operators_.emplace_back(device_, op);
#endif
    }
  }
  Block put_block(ConstMatrixRef host) {
    if constexpr (std::is_same_v<Block, Matrix>) {
      return host;
    } else {
#ifdef STKR_TEST_CUDA
      Block block(host.rows(), host.cols());
#elif defined STKR_TEST_PETSC
      Block block(petsc::RowLayout::equal(PETSC_COMM_WORLD, host.rows()), host.cols());
#else
      Block block(device_, host.rows(), host.cols());
#endif
      upload(host, block);
      return block;
    }
  }
  // The common part of solver options.
  void put_options(const SolverOptions& host, BasicSolverOptions<Block>& options) {
    options.tolerance = host.tolerance;
    options.max_iterations = host.max_iterations;
    if (host.initial) {
      initial_ = put_block(*host.initial);
      options.initial = &initial_;
    }
  }

 private:
#if defined STKR_TEST_CUDA || defined STKR_TEST_PETSC
  std::list<OtherOperator> operators_;
#else
  handle::Device device_;
  std::list<handle::Operator> operators_;
#endif
  Block initial_;
};

template <class Block>
Matrix on_host(const Block& x) {
  return download(x);
}

template <class Block>
SolveResult on_host(const BasicSolveResult<Block>& result) {
  return {on_host<Block>(result.solution), result.summary};
}

template <class Block>
SolveResult cg_on(const LinearOperator& a, ConstMatrixRef b, const CgOptions& options = {},
                  const Context& context = {}) {
  Stage<Block> stage;
  BasicCgOptions<Block> own;
  stage.put_options(options, own);
  own.deflation = options.deflation;
  if (options.preconditioner) own.preconditioner = &stage.put(*options.preconditioner);
  return on_host<Block>(solve_cg<Block>(stage.put(a), stage.put_block(b), own, context));
}

template <class Block>
SolveResult minres_on(const LinearOperator& a, ConstMatrixRef b, const SolverOptions& options = {},
                      const Context& context = {}) {
  Stage<Block> stage;
  BasicSolverOptions<Block> own;
  stage.put_options(options, own);
  return on_host<Block>(solve_minres<Block>(stage.put(a), stage.put_block(b), own, context));
}

template <class Block>
SolveResult richardson_on(const LinearOperator& a, ConstMatrixRef b,
                          const RichardsonOptions& options, const Context& context = {}) {
  Stage<Block> stage;
  BasicRichardsonOptions<Block> own;
  stage.put_options(options, own);
  own.step_size = options.step_size;
  return on_host<Block>(solve_richardson<Block>(stage.put(a), stage.put_block(b), own, context));
}

template <class Block>
Eigenpairs eigenpairs_on(const LinearOperator& op, Index count,
                         const EigenpairOptions& options = {}, const Context& context = {}) {
  Stage<Block> stage;
  const BasicEigenpairs<Block> pairs =
      top_eigenpairs<Block>(stage.put(op), count, options, context);
  return {pairs.values, on_host<Block>(pairs.vectors), pairs.residuals, pairs.summary};
}

template <class Block>
SpectrumEstimate spectrum_on(const LinearOperator& op, const SpectrumOptions& options = {},
                             const Context& context = {}) {
  return estimate_spectrum<Block>(Stage<Block>().put(op), options, context);
}

template <class Block>
OrthonormalBasis basis_on(ConstMatrixRef w, double tolerance, const std::vector<Matrix>& against,
                          int threads) {
  Stage<Block> stage;
  std::vector<Block> blocks;
  for (const Matrix& block : against) blocks.push_back(stage.put_block(block));
  const std::vector<ConstBlockView<Block>> views(blocks.begin(), blocks.end());
  const BasicOrthonormalBasis<Block> basis =
      orthonormal_basis<Block>(stage.put_block(w), tolerance, views, threads);
  return {on_host<Block>(basis.vectors), basis.coordinates};
}

template <class Block>
Matrix chebyshev_on(const LinearOperator& a, const ChebyshevSeries& g, ConstMatrixRef x) {
  Stage<Block> stage;
  Block y = stage.put_block(x);
  apply_chebyshev<Block>(stage.put(a), g, stage.put_block(x), y);
  return on_host<Block>(y);
}

template <class Block>
Matrix polynomial_on(const LinearOperator& a, const std::vector<double>& coefficients,
                     ConstMatrixRef x) {
  Stage<Block> stage;
  const BasicOperatorPolynomial<Block> polynomial(stage.put(a), coefficients);
  return on_host<Block>(product<Block>(polynomial, stage.put_block(x)));
}

// A preconditioner on blocks of a type, as an operator of the host.
template <class Block>
class NystromOn : public LinearOperator {
 public:
  NystromOn(const LinearOperator& a, double mu, const NystromOptions& options = {},
            const Context& context = {})
      : inner_(stage_.put(a), mu, options, context) {}

  Index size() const override { return inner_.size(); }
  void apply(ConstMatrixRef x, MatrixRef y) const override {
    y = on_host<Block>(product<Block>(inner_, stage_.put_block(x)));
  }
  Index rank() const { return inner_.rank(); }
  const Vector& eigenvalues() const { return inner_.eigenvalues(); }
  long products() const { return inner_.products(); }
  std::string describe() const { return inner_.describe(); }

 private:
  mutable Stage<Block> stage_;
  BasicNystromPreconditioner<Block> inner_;
};

template <class Block>
class ResolventOn {
 public:
  ResolventOn(const LinearOperator& s, ConstMatrixRef b, const RowSampler& sampler,
              const ResolventOptions& options, const Context& context = {})
      : inner_(stage_.put(s), stage_.put_block(b), sampler, options, context) {}

  Matrix rows(double eta) const { return inner_.rows(eta); }
  Index dimension() const { return inner_.dimension(); }
  const SolveSummary& summary() const { return inner_.summary(); }

 private:
  Stage<Block> stage_;
  BasicResolventSpace<Block> inner_;
};

}  // namespace stkr
