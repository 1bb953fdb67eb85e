#pragma once

#include <utility>

#include "linop/device_operator.hpp"
#include "linop/operators.hpp"
#include "solver/cg_template.hpp"
#include "solver/eigenpairs_template.hpp"
#include "solver/minres_template.hpp"
#include "solver/resolvent_space_template.hpp"
#include "solver/richardson_template.hpp"
#include "solver/spectrum_template.hpp"
#include "transform/chebyshev_template.hpp"
#include "transform/operator_polynomial_template.hpp"

namespace stkr {
namespace detail {

// An operator that counts its products where another one, on the host, does.
template <class Block>
class CountingOperator : public BasicLinearOperator<Block> {
 public:
  CountingOperator(SharedOperator<Block> op, std::atomic<long>& count)
      : op_(std::move(op)), count_(count) {}

  Index size() const override { return op_->size(); }
  const SharedRows* shared_rows() const override { return op_->shared_rows(); }
  Index local_size() const override { return op_->local_size(); }
  Block new_block(Index columns) const override { return op_->new_block(columns); }
  void apply(ConstBlockView<Block> x, BlockView<Block> y) const override {
    op_->apply(x, y);
    ++count_;
  }
  void apply_step(double a, ConstBlockView<Block> x, double b, double c,
                  BlockView<Block> y) const override {
    op_->apply_step(a, x, b, c, y);
    ++count_;
  }
  void apply_roughly(ConstBlockView<Block> x, BlockView<Block> y) const override {
    op_->apply_roughly(x, y);
    ++count_;
  }
  RoughProducts rough() const override { return op_->rough(); }
  Index panel_columns() const override { return op_->panel_columns(); }

 private:
  SharedOperator<Block> op_;
  std::atomic<long>& count_;
};

// A polynomial of an operator that it shares.
template <class Block>
class SharedPolynomial : public BasicOperatorPolynomial<Block> {
 public:
  SharedPolynomial(SharedOperator<Block> op, std::vector<double> coefficients, int threads)
      : BasicOperatorPolynomial<Block>(*op, std::move(coefficients), threads), op_(std::move(op)) {}

 private:
  SharedOperator<Block> op_;
};

template <class Block>
class DeviceBlockOf final : public DeviceBlock {
 public:
  DeviceBlockOf(Block block, const SharedRows* rows) : block_(std::move(block)), rows_(rows) {}

  const Block& block() const { return block_; }

  Index columns() const override { return block_.cols(); }
  Matrix downloaded() const override {
    const ConstBlockView<Block> view(block_);
    if constexpr (requires { local_rows(view); }) {
      return local_rows(view);
    } else {
      return download(view);
    }
  }
  Matrix release() override {
    if constexpr (requires { release_rows(block_); }) {
      return release_rows(block_);
    } else {
      return downloaded();
    }
  }
  std::optional<ConstMatrixRef> in_place() const override {
    const ConstBlockView<Block> view(block_);
    if constexpr (requires { local_rows(view); }) {
      return local_rows(view);
    } else {
      return std::nullopt;
    }
  }
  Matrix rows_at(std::span<const Index> samples) const override {
    const ConstBlockView<Block> view(block_);
    if constexpr (requires { local_rows(view); }) {
      return gather_samples(rows_, local_rows(view), samples);
    } else {
      return gather_rows(view, samples);
    }
  }

 private:
  Block block_;
  const SharedRows* rows_;
};

}  // namespace detail

// A DeviceOperator on a block type: each function uploads, calls the function of the same name on
// the device's blocks, and downloads. A backend makes its first operators (a graph, a kernel of
// points) and wraps them in this. If several processes share the rows, the host's blocks have the
// rows of this process. A backend whose blocks are in host memory, too, gives them by local_rows(),
// takes them by release_rows() and reads those of the estimators in place by borrowed_rows().
template <class Block>
class DeviceOperatorOf final : public DeviceOperator {
 public:
  explicit DeviceOperatorOf(SharedOperator<Block> op) : op_(std::move(op)) {}

  const SharedOperator<Block>& op() const { return op_; }

  Index size() const override { return op_->size(); }

  void apply(ConstMatrixRef x, MatrixRef y) const override {
    fetch(product<Block>(*op_, input(x)), y);
  }
  void apply_roughly(ConstMatrixRef x, MatrixRef y) const override {
    Block image = op_->new_block(x.cols());
    op_->apply_roughly(input(x), image);
    fetch(image, y);
  }
  RoughProducts rough() const override { return op_->rough(); }

  void apply_polynomial(const std::vector<double>& coefficients, ConstMatrixRef x, MatrixRef y,
                        int threads) const override {
    Block image = op_->new_block(x.cols());
    stkr::apply_polynomial<Block>(*op_, coefficients, input(x), image, nullptr, threads);
    fetch(image, y);
  }
  void apply_chebyshev(const ChebyshevSeries& g, ConstMatrixRef x, MatrixRef y,
                       int threads) const override {
    Block image = op_->new_block(x.cols());
    stkr::apply_chebyshev<Block>(*op_, g, input(x), image, threads);
    fetch(image, y);
  }

  SolveResult solve_cg(ConstMatrixRef b, const CgOptions& options,
                       const Context& context) const override {
    BasicCgOptions<Block> own;
    own.deflation = options.deflation;
    const Block initial = start_of(options, own);
    if (options.initial) own.initial = &initial;
    return on_host(stkr::solve_cg<Block>(*op_, input(b), own, context));
  }
  SolveResult solve_minres(ConstMatrixRef b, const SolverOptions& options,
                           const Context& context) const override {
    BasicSolverOptions<Block> own;
    const Block initial = start_of(options, own);
    if (options.initial) own.initial = &initial;
    return on_host(stkr::solve_minres<Block>(*op_, input(b), own, context));
  }
  SolveResult solve_richardson(ConstMatrixRef b, const RichardsonOptions& options,
                               const Context& context) const override {
    BasicRichardsonOptions<Block> own;
    own.step_size = options.step_size;
    const Block initial = start_of(options, own);
    if (options.initial) own.initial = &initial;
    return on_host(stkr::solve_richardson<Block>(*op_, block_of(b), own, context));
  }
  Eigenpairs top_eigenpairs(Index count, const EigenpairOptions& options,
                            const Context& context) const override {
    BasicEigenpairs<Block> pairs = stkr::top_eigenpairs<Block>(*op_, count, options, context);
    return {std::move(pairs.values), taken(pairs.vectors), std::move(pairs.residuals),
            std::move(pairs.summary)};
  }
  SpectrumEstimate estimate_spectrum(const SpectrumOptions& options,
                                     const Context& context) const override {
    return stkr::estimate_spectrum<Block>(*op_, options, context);
  }
  ResolventSpace resolvent(ConstMatrixRef b, const RowSampler& sampler,
                           const ResolventOptions& options, const Context& context) const override {
    return ResolventSpace(BasicResolventSpace<Block>(*op_, block_of(b), sampler, options, context));
  }

  DeviceBlock::Shared uploaded(ConstMatrixRef x) const override { return kept(block_of(x)); }
  DeviceBlock::Shared scattered(ConstMatrixRef x, std::span<const Index> samples) const override {
    Block block = op_->new_block(x.cols());
    if constexpr (requires(BlockView<Block> view) { local_rows(view); }) {
      MatrixRef rows = local_rows(BlockView<Block>(block));
      rows = scatter_samples(op_->shared_rows(), x, samples, size());
    } else {
      Block few = block_of_rows(ConstBlockView<Block>(block), samples, x.cols());
      upload(x, few);
      scatter_rows(few, samples, block, /*threads=*/0);
    }
    return kept(std::move(block));
  }
  DeviceBlock::Shared image(double factor, const DeviceBlock& x, bool roughly) const override {
    Block y = op_->new_block(x.columns());
    roughly ? op_->apply_roughly(held(x), y) : op_->apply(held(x), y);
    if (factor != 1.0) axpby(factor, y, 0.0, y, /*threads=*/0);
    return kept(std::move(y));
  }
  DeviceBlock::Shared polynomial_image(const std::vector<double>& coefficients,
                                       const DeviceBlock& x, int threads) const override {
    Block y = op_->new_block(x.columns());
    stkr::apply_polynomial<Block>(*op_, coefficients, held(x), y, nullptr, threads);
    return kept(std::move(y));
  }
  DeviceBlock::Shared chebyshev_image(const ChebyshevSeries& g, const DeviceBlock& x,
                                      int threads) const override {
    Block y = op_->new_block(x.columns());
    stkr::apply_chebyshev<Block>(*op_, g, held(x), y, threads);
    return kept(std::move(y));
  }
  DeviceBlock::Shared solve_cg(const DeviceBlock& b, const DeviceBlock* initial,
                               const CgOptions& options, const Context& context,
                               SolveSummary& summary) const override {
    BasicCgOptions<Block> own = limits<BasicCgOptions<Block>>(options, initial);
    own.deflation = options.deflation;
    return kept(stkr::solve_cg<Block>(*op_, held(b), own, context), summary);
  }
  DeviceBlock::Shared solve_minres(const DeviceBlock& b, const DeviceBlock* initial,
                                   const SolverOptions& options, const Context& context,
                                   SolveSummary& summary) const override {
    const auto own = limits<BasicSolverOptions<Block>>(options, initial);
    return kept(stkr::solve_minres<Block>(*op_, held(b), own, context), summary);
  }
  DeviceBlock::Shared combination(double a, const DeviceBlock& x, double b,
                                  const DeviceBlock& y) const override {
    Block result = copy_of<Block>(held(y), /*threads=*/0);
    axpby(a, held(x), b, result, /*threads=*/0);
    return kept(std::move(result));
  }
  DeviceBlock::Shared with_scaled_rows(ConstMatrixRef w, const DeviceBlock& x) const override {
    Block result = op_->new_block(x.columns());
    scale_rows(block_of(w), held(x), result, /*threads=*/0);
    return kept(std::move(result));
  }

  Shared scaled(double factor, int threads) const override {
    return wrap<BasicScaledOperator<Block>>(op_, factor, threads);
  }
  Shared polynomial(std::vector<double> coefficients, int threads) const override {
    return wrap<detail::SharedPolynomial<Block>>(op_, std::move(coefficients), threads);
  }
  Shared diagonally_scaled(ConstMatrixRef w, ConstMatrixRef t, int threads) const override {
    return wrap<BasicDiagonalScaling<Block>>(op_, block_of(w), t.size() > 0 ? block_of(t) : Block(),
                                             threads);
  }
  Shared rows_scaled(const Vector& w, int threads) const override {
    return wrap<BasicRowScaling<Block>>(op_, block_of(w), threads);
  }
  Shared plus_low_rank(const Matrix& v, const Vector& factors, int threads) const override {
    return wrap<BasicLowRankSum<Block>>(op_, std::make_shared<const Block>(block_of(v)), factors,
                                        threads);
  }
  Shared projected(const KnownEigenspace& space, int threads) const override {
    return wrap<BasicProjectedOperator<Block>>(op_, space, threads);
  }
  Shared plus(double own, const DeviceOperator& other, double weight) const override {
    const auto* same = dynamic_cast<const DeviceOperatorOf*>(&other);
    if (!same) return nullptr;
    return wrap<BasicSumOperator<Block>>(std::vector<SharedOperator<Block>>{op_, same->op_},
                                         std::vector<double>{own, weight});
  }
  Shared counted(std::atomic<long>& count) const override {
    return wrap<detail::CountingOperator<Block>>(op_, count);
  }

 private:
  template <class Operator, class... Arguments>
  static Shared wrap(Arguments&&... arguments) {
    return std::make_shared<DeviceOperatorOf>(
        std::make_shared<const Operator>(std::forward<Arguments>(arguments)...));
  }

  static ConstBlockView<Block> held(const DeviceBlock& x) {
    return dynamic_cast<const detail::DeviceBlockOf<Block>&>(x).block();
  }
  DeviceBlock::Shared kept(Block block) const {
    return std::make_shared<detail::DeviceBlockOf<Block>>(std::move(block), op_->shared_rows());
  }
  DeviceBlock::Shared kept(BasicSolveResult<Block> result, SolveSummary& summary) const {
    summary = std::move(result.summary);
    return kept(std::move(result.solution));
  }
  template <class Own>
  static Own limits(const SolverOptions& options, const DeviceBlock* initial) {
    Own own;
    own.tolerance = options.tolerance;
    own.max_iterations = options.max_iterations;
    if (initial) own.initial = &dynamic_cast<const detail::DeviceBlockOf<Block>&>(*initial).block();
    return own;
  }
  Block block_of(ConstMatrixRef x) const {
    Block block = op_->new_block(x.cols());
    if constexpr (requires(BlockView<Block> view) { local_rows(view); }) {
      copy_block(x, local_rows(BlockView<Block>(block)), /*threads=*/0);
    } else {
      upload(x, block);
    }
    return block;
  }
  // The host's block as an argument: a copy, unless the engine can read it where it is.
  auto input(ConstMatrixRef x) const {
    if constexpr (requires { borrowed_rows(*op_, x); }) {
      return borrowed_rows(*op_, x);
    } else {
      return block_of(x);
    }
  }
  static Matrix taken(Block& block) {
    if constexpr (requires { release_rows(block); }) {
      return release_rows(block);
    } else {
      return download(block);
    }
  }
  static void fetch(const Block& block, MatrixRef y) {
    copy_block(ConstMatrixRef(downloaded(block)), y, /*threads=*/0);
  }
  static decltype(auto) downloaded(ConstBlockView<Block> x) {
    if constexpr (requires { local_rows(x); }) {
      return local_rows(x);
    } else {
      return download(x);
    }
  }
  static SolveResult on_host(BasicSolveResult<Block> result) {
    return {taken(result.solution), std::move(result.summary)};
  }
  // Takes over what all solvers share. Returns the block where the iteration starts, if one is
  // given.
  Block start_of(const SolverOptions& options, BasicSolverOptions<Block>& own) const {
    own.tolerance = options.tolerance;
    own.max_iterations = options.max_iterations;
    return options.initial ? block_of(*options.initial) : Block();
  }

  SharedOperator<Block> op_;
};

}  // namespace stkr
