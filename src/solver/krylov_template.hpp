#pragma once

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "krylov.hpp"
#include "linop/saved_state.hpp"
#include "stkr/error.hpp"

namespace stkr::detail {

// A solve of A x = b: the record, the products and the decision by the true residual.
template <class Block>
class KrylovRun : public KrylovRecord {
 public:
  using View = BlockView<Block>;
  using ConstView = ConstBlockView<Block>;

  // Residuals are relative to `scale`, one per column: usually ‖b‖.
  KrylovRun(const char* solver, const BasicLinearOperator<Block>& a, ConstView b, Vector scale,
            const BasicSolverOptions<Block>& options, const Context& context)
      : KrylovRecord(solver, std::move(scale), options.tolerance, options.max_iterations, context),
        a_(a),
        b_(b),
        options_(options) {
    check_right_hand_side(solver, b.rows(), a.local_size());
    const RoughProducts rough = a.rough();
    rough_precision_ = rough.name;
    rough_error_ = rough.error;
    if (!options.initial) return;
    check_initial(solver, options.initial->rows(), options.initial->cols(), b.rows(), b.cols());
    if (!all_finite(*options.initial, context.threads)) {
      throw ValueError(
          fmt::format("{}: the initial solution has a value that is not finite", solver));
    }
  }

  // y = A x, roughly if a sweep may; counts the product.
  void product(ConstView x, View y) {
    if (!rough()) return true_product(x, y);
    a_.apply_roughly(x, y);
    ++products_;
    ++rough_products_;
  }
  void true_product(ConstView x, View y) {
    a_.apply(x, y);
    ++products_;
  }

  // The initial solution, or 0. Columns with b = 0 are 0.
  Block first_solution() const {
    Block x = block_like(b_, b_.cols());
    if (options_.initial) {
      Vector keep(b_.cols());
      for (Index c = 0; c < keep.size(); ++c) keep[c] = running(c) ? 1.0 : 0.0;
      scale_columns(keep, *options_.initial, x, context_.threads);
    } else {
      set_zero(x, context_.threads);
    }
    return x;
  }

  // Everything that the next step needs.
  struct State {
    std::vector<ConstView> blocks;
    std::vector<ConstMatrixRef> small;
    int iteration;
  };
  // keep() saves it when that is due and when cancellation is requested. In another process,
  // restore() fills the blocks and small matrices once and sets `iteration`.
  void keep(const State& state) const {
    if (save_is_due()) save(state);
  }
  // Runs a product, and saves the state before it if the operator is cancelled in it.
  template <class Product>
  void keep_if_cancelled(const State& state, Product&& product) const {
    try {
      product();
    } catch (const Cancelled&) {
      if (context_.saved) save(state);
      throw;
    }
  }

  bool restore(const std::vector<View>& blocks, const std::vector<MatrixRef>& small,
               int& iteration) {
    SavedState* saved = context_.saved;
    if (!saved || std::exchange(restored_, true)) return false;
    const auto found = saved->find(name_, shared_blocks(blocks.size()));
    if (!found) return false;
    bool fits = found->size() == 2 + blocks.size() + small.size() && (*found)[0].size() == 4;
    const auto check = [&](std::size_t k, Index rows, Index columns) {
      fits = fits && (*found)[k].rows() == rows && (*found)[k].cols() == columns;
    };
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      check(k + 2, blocks[k].rows(), blocks[k].cols());
    }
    for (std::size_t k = 0; k < small.size(); ++k) {
      check(k + 2 + blocks.size(), small[k].rows(), small[k].cols());
    }
    if (!fits) {
      throw DataError(fmt::format("the saved state of {} belongs to another system", name_));
    }
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      if constexpr (kHasLocalRows) {
        MatrixRef rows = local_rows(blocks[k]);
        rows = (*found)[k + 2];
      } else {
        upload((*found)[k + 2], blocks[k]);
      }
    }
    for (std::size_t k = 0; k < small.size(); ++k) {
      MatrixRef target = small[k];
      target = (*found)[k + 2 + blocks.size()];
    }
    restore_record((*found)[0], (*found)[1], iteration);
    return true;
  }

  // r = b - A x; returns its relative norms, which decide convergence.
  Vector true_residual(ConstView x, View r) {
    true_product(x, r);
    axpby(1.0, b_, -1.0, r, context_.threads);
    return relative(column_norms(r, context_.threads));
  }

  // Completes the summary. The true residuals override `reason` in both directions.
  SolveSummary finish(ConstView x, StopReason reason, int iterations, std::string message) {
    Block r = block_like(b_, b_.cols());
    const Vector relative = true_residual(x, r);
    return summarize(relative, reason, iterations, std::move(message));
  }

 private:
  // Whether every process can save and restore its own rows without the others.
  static constexpr bool kHasLocalRows = requires(View view) { local_rows(view); };

  SharedBlocks shared_blocks(std::size_t count) const { return {a_.shared_rows(), 2, count}; }

  void save(const State& state) const {
    const std::vector<Matrix> record = saved_record(state.iteration);
    const auto rows_of = [](ConstView block) -> decltype(auto) {
      if constexpr (kHasLocalRows) {
        return local_rows(block);
      } else {
        return download(block);
      }
    };
    std::vector<std::decay_t<decltype(rows_of(state.blocks.front()))>>
        held;  // views where possible
    held.reserve(state.blocks.size());
    for (const ConstView& block : state.blocks) held.push_back(rows_of(block));
    std::vector<ConstMatrixRef> all(record.begin(), record.end());
    for (const auto& block : held) all.emplace_back(block);
    for (const ConstMatrixRef& matrix : state.small) all.push_back(matrix);
    context_.saved->save(name_, all, shared_blocks(state.blocks.size()));
  }

  const BasicLinearOperator<Block>& a_;
  ConstView b_;
  const BasicSolverOptions<Block>& options_;
};

// Restarts a solver from the residual it left as long as that helps: both recurrences drift away
// from the true residual in floating point, and by more if products are rough. If rough products do
// not help, because the system is too ill-conditioned for them, exact ones replace them.
// `sweep(residual, x, iteration)` adds a correction to x for the active columns, advances the
// iteration count, and returns why it stopped.
template <class Block, class Sweep>
BasicSolveResult<Block> refine(KrylovRun<Block>& run, ConstBlockView<Block> b,
                               const BasicSolverOptions<Block>& options, const Context& context,
                               Sweep&& sweep) {
  Block x = run.first_solution();
  Block r = block_like(b, b.cols());
  int iteration = 0;
  const auto stop_columns = [&](const Vector& relative) {
    for (Index c = 0; c < b.cols(); ++c) {
      if (run.running(c) && relative[c] <= options.tolerance) run.stop_column(c, iteration);
    }
  };
  if (options.initial) {
    run.before() = run.true_residual(x, r);
    stop_columns(run.before());
  } else {
    copy_block(b, r, context.threads);
  }
  // Whether a column that still runs has half its residual of before.
  const auto improved = [&](const Vector& relative) {
    for (Index c = 0; c < b.cols(); ++c) {
      if (run.running(c) && relative[c] < 0.5 * run.before()[c]) return true;
    }
    return false;
  };
  const auto worse = [&](const Vector& relative) {
    for (Index c = 0; c < b.cols(); ++c) {
      if (run.running(c) && !(relative[c] <= run.before()[c])) return true;
    }
    return false;
  };
  StopReason reason = StopReason::converged;
  while (run.any_running()) {
    Block kept = run.rough() ? copy_of<Block>(x, context.threads) : Block();
    reason = sweep(r, x, iteration);
    const bool failed_roughly = reason == StopReason::breakdown && run.rough();
    if (reason != StopReason::converged && !failed_roughly) break;
    Vector relative = run.true_residual(x, r);
    if (run.rough() && (failed_roughly || !improved(relative))) {
      run.leave_rough();
      if (worse(relative)) {
        x = std::move(kept);
        relative = run.true_residual(x, r);
      }
      stop_columns(relative);
    } else {
      stop_columns(relative);
      if (!improved(relative) && run.any_running()) {
        reason = StopReason::stagnated;
        break;
      }
    }
    run.before() = std::move(relative);
  }
  SolveSummary summary = run.finish(x, reason, iteration, krylov_message(reason, iteration));
  return {std::move(x), std::move(summary)};
}

}  // namespace stkr::detail
