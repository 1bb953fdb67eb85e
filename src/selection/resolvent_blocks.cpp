#include "selection/resolvent_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "estimator/poisson_leading.hpp"
#include "runtime/byte_count.hpp"
#include "runtime/parallel.hpp"
#include "solver/resolvent_space.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

class Resolvents {
 public:
  Resolvents(const GramOperator& gram, const KernelRows& rows, const ResolventBlockOptions& options,
             const Context& context, std::vector<ResolventBlock>& blocks)
      : gram_(gram), rows_(rows), options_(options), context_(context), blocks_(blocks) {}

  ResolventSummary run() {
    prepare_poisson();
    const Index labels = static_cast<Index>(rows_.labeled().size());
    for (ResolventBlock& block : blocks_) {
      if (usable(block)) block.rows = Matrix::Zero(labels + rows_.scored(), labels);
    }
    for (Index first = 0; first < labels; first += options_.labels_at_once) {
      add_columns(first, std::min(options_.labels_at_once, labels - first));
    }
    return std::move(summary_);
  }

 private:
  static bool usable(const ResolventBlock& block) { return block.reason.empty(); }

  void prepare_poisson() {
    for (ResolventBlock& block : blocks_) {
      if (block.family != Family::poisson) continue;
      try {
        leading_.emplace(gram_, block.parameter, options_.kept_groups);
      } catch (const ValueError& error) {
        block.reason = error.what();
      }
    }
  }

  // E for the labeled samples [first, first + count).
  Matrix label_columns(Index first, Index count) const {
    return scatter_samples(gram_.shared_rows(), Matrix::Identity(count, count),
                           std::span(rows_.labeled()).subspan(first, count), gram_.size());
  }

  // The space of the largest η, which serves all smaller ones. An η that breaks down is left out,
  // and the next one is used. Returns nullopt if every η is left out.
  std::optional<ResolventSpace> space(Index first, Index count) {
    ResolventOptions options;
    options.tolerance = options_.tolerance;
    const KnownEigenspace* known = gram_.known_eigenspace();
    options.deflate = known && known->dimension() > 0 ? known : nullptr;
    options.most_bytes = context_.memory / 2;
    std::vector<ResolventBlock*> hardest;
    for (ResolventBlock& block : blocks_) hardest.push_back(&block);
    std::stable_sort(hardest.begin(), hardest.end(),
                     [](const auto* a, const auto* b) { return a->parameter > b->parameter; });
    for (ResolventBlock* block : hardest) {
      if (!usable(*block)) continue;
      options.hardest_eta = block->parameter / options_.largest_eigenvalue;
      const auto leave_out = [&](const Error& error) {
        block->reason = error.what();
        summary_.warnings.push_back(fmt::format(
            "{}: eta = {:.8g} left out: {}",
            block->family == Family::poisson ? to_string(block->family) : "inverse Laplacian",
            block->parameter, error.what()));
      };
      try {
        return std::optional<ResolventSpace>(std::in_place, gram_, label_columns(first, count),
                                             rows_.sampler(), options, context_);
      } catch (const ValueError& error) {
        leave_out(error);
      } catch (const MemoryError& error) {
        leave_out(error);
      }
    }
    return std::nullopt;
  }

  void add_columns(Index first, Index count) {
    const std::optional<ResolventSpace> found = space(first, count);
    if (!found) return;
    summary_.products += found->summary().products;
    if (!found->summary().converged()) {
      summary_.warnings.push_back("inverse Laplacian: " + found->summary().message);
    }
    const bool poisson = std::any_of(blocks_.begin(), blocks_.end(), [](const auto& block) {
      return usable(block) && block.family == Family::poisson;
    });
    const Matrix coordinates =
        poisson ? leading_->coefficients(label_columns(first, count), context_.threads) : Matrix();
    const std::vector<char> kept =
        poisson ? leading_->keep(std::span(rows_.labeled()).subspan(first, count))
                : std::vector<char>();
    // Sums over processes come one after the other, in the same order in all of them.
    const int threads = gram_.shared_rows() ? 1 : context_.threads;
    parallel_tasks(static_cast<Index>(blocks_.size()), threads, [&](Index k) {
      ResolventBlock& block = blocks_[static_cast<std::size_t>(k)];
      if (!usable(block)) return;
      const double eta = block.parameter / options_.largest_eigenvalue;
      // q = g/(1 - ηδ) for new samples, which lack the kernel's self term.
      const double fresh = 1.0 / (1.0 - eta * gram_.self_term());
      Matrix columns =
          block.family == Family::poisson ? found->complement_rows(eta) : found->rows(eta);
      columns.bottomRows(rows_.fresh()) *= fresh;
      if (block.family == Family::poisson) {
        for (Index j = 0; j < count; ++j) {
          if (kept[static_cast<std::size_t>(j)]) columns.col(j).setZero();
        }
        add_leading(block.parameter, coordinates, columns);
      }
      block.rows.middleCols(first, count) = columns;
    });
  }

  // R U diag(factors) Uᵀ E, with the factors of known and of new samples.
  void add_leading(double eta, const Matrix& coordinates, Matrix& columns) const {
    const PoissonLeading leading(gram_, eta, options_.kept_groups);
    const auto part = [&](const Vector& factors) {
      Matrix x = Matrix::Zero(gram_.local_size(), coordinates.cols());
      leading.space().add(factors.asDiagonal() * coordinates, x, 1);
      return rows_.apply(x, leading.space().eigenvalue() * x);
    };
    const Vector known = leading.known_factors();
    const Index fresh = rows_.fresh();
    // The factors are those of the own groups, and the sums are over processes.
    if (any_over(gram_.shared_rows(), !known.isZero(0.0))) {
      columns.topRows(columns.rows() - fresh) += part(known).topRows(columns.rows() - fresh);
    }
    if (fresh > 0) {
      columns.bottomRows(fresh) += part(leading.fresh_factors(gram_.self_term())).bottomRows(fresh);
    }
  }

  const GramOperator& gram_;
  const KernelRows& rows_;
  const ResolventBlockOptions& options_;
  const Context& context_;
  std::vector<ResolventBlock>& blocks_;
  std::optional<PoissonLeading> leading_;
  ResolventSummary summary_;
};

}  // namespace

ResolventSummary resolvent_blocks(const GramOperator& gram, const KernelRows& rows,
                                  const ResolventBlockOptions& options, const Context& context,
                                  std::vector<ResolventBlock>& blocks) {
  return Resolvents(gram, rows, options, context, blocks).run();
}

SolveCost resolvent_cost(const BlockShape& shape) {
  constexpr double kSteps = 100.0;  // of the block Krylov space, generously
  const auto columns =
      static_cast<double>(resolvent_labels(shape.solve.entries > 0, shape.labels_at_once));
  const double doubles = kSteps * columns * (shape.rows() + 4.0 * columns);
  return {.blocks = block_byte_count(shape.solve.samples, columns,
                                     9.0 + static_cast<double>(shape.solve.scratch)),
          .system = static_cast<std::uint64_t>(8.0 * doubles),
          .products = {{std::ceil(shape.labels() / columns) * kSteps, columns}}};
}

}  // namespace stkr
