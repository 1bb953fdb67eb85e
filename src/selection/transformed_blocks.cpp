#include "selection/transformed_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>

#include "estimator/kernel_pca.hpp"
#include "estimator/leading_space.hpp"
#include "estimator/poisson_leading.hpp"
#include "gram/weighted_gram.hpp"
#include "grid_dimensions.hpp"
#include "runtime/byte_count.hpp"
#include "runtime/parallel.hpp"
#include "runtime/progress_counter.hpp"
#include "selection/laplacian_series.hpp"
#include "selection/polynomial_blocks.hpp"
#include "selection/resolvent_blocks.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

using Clock = std::chrono::steady_clock;

Index parameter_count(const Grid& grid) {
  Index count = 0;
  for (const Family family : {Family::power, Family::polynomial, Family::diffusion, Family::top_d,
                              Family::inverse_laplacian, Family::poisson}) {
    count += static_cast<Index>(family_parameters(grid, family).size());
  }
  return count;
}

// One run of transformed_blocks: each function below fills `rows` for the parameters of a family,
// (n + scored) × n each.
class Blocks {
 public:
  Blocks(const GramOperator& gram, const KernelRows& rows, const Grid& grid, const BlockSink& sink,
         const BlockOptions& options, const Context& context)
      : gram_(gram),
        rows_(rows),
        grid_(grid),
        sink_(sink),
        options_(options),
        context_(context),
        scored_(context.progress, "parameters", parameter_count(grid)),
        links_(rows.links(gram)) {}

  BlockSummary run() {
    // Kernel PCA first: the inverse Laplacians may use its eigenvectors.
    for (const Family family : {Family::power, Family::polynomial, Family::diffusion, Family::top_d,
                                Family::inverse_laplacian, Family::poisson}) {
      parameters_ = family_parameters(grid_, family);
      if (parameters_.empty() || grid_ridges(grid_).empty()) continue;
      const auto start = Clock::now();
      products_ = 0;
      reasons_.assign(parameters_.size(), {});
      emitted_.assign(parameters_.size(), 0);
      try {
        if (family == Family::top_d) {
          kernel_pca_blocks();
        } else if (family != Family::inverse_laplacian || !laplacian_series_blocks()) {
          transform_blocks(family);
        }
      } catch (const ValueError& error) {
        leave_out_rest(family, error.what());
        if (!failure_) failure_ = std::current_exception();
      }
      some_ = some_ || std::find(emitted_.begin(), emitted_.end(), 1) != emitted_.end();
      for (std::size_t place = 0; place < parameters_.size(); ++place) {
        if (reasons_[place].empty()) continue;
        summary_.left_out.push_back({family, parameters_[place], reasons_[place]});
      }
      summary_.costs.push_back(
          {family, std::chrono::duration<double>(Clock::now() - start).count(), products_});
    }
    // If every family fails, no grid point is to blame: rethrow.
    if (failure_ && !some_ && grid_.propagation_etas.empty()) std::rethrow_exception(failure_);
    return std::move(summary_);
  }

 private:
  void leave_out_rest(Family family, const std::string& reason) {
    for (std::size_t place = 0; place < parameters_.size(); ++place) {
      if (!emitted_[place] && reasons_[place].empty()) reasons_[place] = reason;
    }
    summary_.warnings.push_back(fmt::format("{} left out: {}", to_string(family), reason));
  }

  Index labels() const { return static_cast<Index>(rows_.labeled().size()); }

  // `rows` holds a kernel between labeled and scored samples (rows) and labeled ones.
  void emit(Family family, std::size_t place, Matrix rows, double coupling = 0.0) {
    // Set exact zeros where rounding would suggest a prediction.
    rows = rows.cwiseProduct(links_);
    Matrix labeled = rows.topRows(labels());
    labeled = 0.5 * (labeled + labeled.transpose()).eval();
    const bool poisson = family == Family::poisson;
    sink_(place, {family, parameters_[place], std::move(labeled), rows.bottomRows(rows_.scored()),
                  coupling, gram_.nonnegative(),
                  poisson ? poisson_label_weights(*gram_.known_eigenspace(), rows_.labeled(),
                                                  gram_.shared_rows())
                          : Vector(),
                  poisson});
    emitted_[place] = 1;
    scored_.add();
  }

  // For weighted samples, the columns of K̂_s are divided by √w; the rows already are.
  void divide_columns(Matrix& rows) const {
    if (!gram_.root_weights()) return;
    rows = (rows * inverse_or_zero(root_weights_at(gram_, rows_.labeled())).asDiagonal()).eval();
  }

  // Scales the rows of new samples, which lack the kernel's self term.
  void scale_fresh(Matrix& rows, double factor) const { rows.bottomRows(rows_.fresh()) *= factor; }

  // Of blocks that another source computed.
  template <class Summary>
  void take(Summary&& summary) {
    products_ += summary.products;
    for (std::string& warning : summary.warnings) summary_.warnings.push_back(std::move(warning));
  }

  SpectralTransform transform_of(Family family, std::size_t place) const {
    switch (family) {
      case Family::power:
        return SpectralTransform::power(parameters_[place]);
      case Family::polynomial:
        return SpectralTransform::polynomial(grid_.polynomials[place]);
      case Family::inverse_laplacian:
        return SpectralTransform::inverse_laplacian(parameters_[place] /
                                                    options_.largest_eigenvalue);
      default:
        return SpectralTransform::diffusion(parameters_[place]);
    }
  }

  void transform_blocks(Family family) {
    std::vector<Matrix> rows(parameters_.size(), Matrix::Zero(labels() + rows_.scored(), labels()));
    const Index batch =
        labels_at_once(gram_.shared_rows() ? gram_.shared_rows()->most() : gram_.size(), labels(),
                       options_.block_bytes);
    if (family == Family::inverse_laplacian || family == Family::poisson) {
      if (!resolvents_) {
        prepare_resolvents(family == Family::inverse_laplacian,
                           resolvent_labels(gram_.sparse(), batch));
      }
      take_resolvents(family, rows);
    } else {
      std::vector<SpectralTransform> transforms;
      for (std::size_t place = 0; place < parameters_.size(); ++place) {
        transforms.push_back(transform_of(family, place));
      }
      take(polynomial_blocks(gram_, rows_, transforms, batch, context_, rows));
    }
    // Sums over processes come one after the other, in the same order in all of them.
    const int threads = gram_.shared_rows() ? 1 : context_.threads;
    parallel_tasks(static_cast<Index>(rows.size()), threads, [&](Index place) {
      if (!reasons_[place].empty()) return;
      divide_columns(rows[place]);
      emit(family, place, std::move(rows[place]));
    });
  }

  // The inverse Laplacians and Poisson transforms of the grid, computed together. `laplacians`:
  // those of the first kind too.
  void prepare_resolvents(bool laplacians, Index batch) {
    std::vector<ResolventBlock> blocks;
    for (const Family family : {Family::inverse_laplacian, Family::poisson}) {
      if (family == Family::inverse_laplacian && !laplacians) continue;
      const std::vector<double> etas = family_parameters(grid_, family);
      for (std::size_t place = 0; place < etas.size(); ++place) {
        blocks.push_back({.family = family, .place = place, .parameter = etas[place]});
      }
    }
    ResolventSummary summary = resolvent_blocks(gram_, rows_,
                                                {.largest_eigenvalue = options_.largest_eigenvalue,
                                                 .tolerance = options_.tolerance,
                                                 .labels_at_once = batch,
                                                 .kept_groups = options_.kept_groups},
                                                context_, blocks);
    take(std::move(summary));
    resolvents_ = std::move(blocks);
  }

  void take_resolvents(Family family, std::vector<Matrix>& rows) {
    for (ResolventBlock& block : *resolvents_) {
      if (block.family != family) continue;
      reasons_[block.place] = block.reason;
      rows[block.place] = std::move(block.rows);
    }
  }

  // q = g/(1 - ηδ) for the inverse Laplacian.
  double fresh_factor(double eta) const { return 1.0 / (1.0 - eta * gram_.self_term()); }

  Index reached_samples() const {
    const std::vector<Index> own = samples_that_labels_reach(gram_, rows_.labeled());
    return static_cast<Index>(sum_over(gram_.shared_rows(), static_cast<double>(own.size())));
  }

  // Which labeled and scored samples of the gram kernel PCA was computed from.
  Matrix learned_from(const KernelPca& pca) const {
    Matrix flags = Matrix::Zero(gram_.local_size(), 1);
    for (const Index i : pca.unlabeled) flags(i, 0) = 1.0;
    return rows_.gather(flags);
  }

  void kernel_pca_blocks() {
    context_.check_cancelled();  // few samples use LAPACK, which cannot be interrupted
    const auto largest =
        static_cast<Index>(*std::max_element(parameters_.begin(), parameters_.end()));
    const Index unlabeled = (options_.literal_top_d ? gram_.size() : reached_samples()) - labels();
    if (unlabeled == 0) {
      const std::string reason =
          fmt::format("kernel PCA needs unlabeled samples{}, and there are none",
                      gram_.size() > labels() ? " that labels reach" : "");
      summary_.warnings.push_back("kernel PCA left out: " + reason);
      reasons_.assign(parameters_.size(), reason);
      return;
    }
    KernelPcaOptions options;
    options.dimension = std::min(unlabeled, largest);
    options.fewer_if_not_positive = true;
    options.literal_top_d = options_.literal_top_d;
    options.tolerance = options_.eigen_tolerance;
    options.execution.diagonalize_below = options_.diagonalize_below;
    pca_ = kernel_pca(gram_, rows_.labeled(), options, context_);
    const KernelPca& pca = *pca_;
    products_ += pca.summary.products;
    if (!pca.summary.converged()) {
      summary_.warnings.push_back("kernel PCA: " + pca.summary.message);
    }
    GridDimensions dimensions = grid_dimensions(pca, parameters_, options_.literal_top_d);
    reasons_ = std::move(dimensions.reasons);
    for (const auto& warning : dimensions.warnings) summary_.warnings.push_back(warning);
    const std::vector<Index>& taken = dimensions.taken;
    const Matrix vectors = scatter_rows(pca.vectors, pca.unlabeled, gram_.local_size());
    psi_ = rows_.apply(vectors, product(gram_, vectors));
    ++products_;
    // ψ̂ at samples outside the set it was computed from, including the labeled ones.
    Matrix psi = psi_;
    const Matrix inside = learned_from(pca);
    for (Index k = 0; k < psi.rows(); ++k) {
      if (k < inside.rows() && inside(k, 0) > 0.0) continue;
      psi.row(k).array() *= pca.fresh_factors.transpose().array();
    }
    const int threads = gram_.shared_rows() ? 1 : context_.threads;
    parallel_tasks(static_cast<Index>(parameters_.size()), threads, [&](Index place) {
      if (taken[place] == 0) return;
      const auto leading = psi.leftCols(taken[place]);
      emit(Family::top_d, place, leading * leading.topRows(labels()).transpose());
    });
  }

  // Whether the eigenvectors of kernel PCA are available, allowed and useful.
  bool laplacian_series_blocks() {
    if (!options_.coupled || !pca_ || gram_.root_weights() != nullptr) return false;
    if (gram_.shared_rows()) return false;  // the common Krylov space moves less between processes
    // It needs the eigenvectors of all unlabeled samples.
    if (static_cast<Index>(pca_->unlabeled.size()) != gram_.size() - labels()) return false;
    // It processes all labels at once.
    if (static_cast<std::size_t>(gram_.size() * labels()) * sizeof(double) > options_.block_bytes) {
      return false;
    }
    std::vector<double> etas = parameters_;
    for (double& eta : etas) eta /= options_.largest_eigenvalue;
    if (!LaplacianSeries::length(gram_, *pca_, *std::max_element(etas.begin(), etas.end()))) {
      return false;
    }
    context_.check_cancelled();
    const LaplacianSeries series(gram_, rows_, *pca_, psi_, etas, context_);
    products_ += series.products();
    parallel_tasks(static_cast<Index>(etas.size()), context_.threads, [&](Index place) {
      Matrix rows = series.rows(place);
      scale_fresh(rows, fresh_factor(etas[place]));
      emit(Family::inverse_laplacian, place, std::move(rows),
           etas[place] / static_cast<double>(gram_.size()));
    });
    return true;
  }

  const GramOperator& gram_;
  const KernelRows& rows_;
  const Grid& grid_;
  const BlockSink& sink_;
  const BlockOptions& options_;
  const Context& context_;
  ProgressCounter scored_;            // parameters
  Matrix links_;                      // KernelRows::links
  std::vector<double> parameters_;    // of the current family
  std::vector<std::string> reasons_;  // why each cannot be computed; empty if it can
  std::vector<char> emitted_;         // whether each went to the sink
  std::exception_ptr failure_;        // the first failure of a whole family
  bool some_ = false;                 // whether some block went to the sink
  std::optional<KernelPca> pca_;      // of the largest d, once computed
  std::optional<std::vector<ResolventBlock>> resolvents_;  // once computed
  Matrix psi_;  // ψ̂_i(x), one row per labeled and scored x
  long products_ = 0;
  BlockSummary summary_;
};

template <class T>
double largest(const std::vector<T>& values) {
  return values.empty() ? 0.0
                        : static_cast<double>(*std::max_element(values.begin(), values.end()));
}

// Kernel PCA: the eigenvectors for the largest dimension, and ψ̂ at the labeled and scored samples.
SolveCost kernel_pca_cost(const BlockShape& shape, Index d, Index diagonalize_below) {
  const auto columns = static_cast<double>(d);
  const std::uint64_t vectors = block_byte_count(shape.solve.samples, columns,
                                                 4.0 + static_cast<double>(shape.solve.scratch));
  return {.blocks = std::max(eigenvector_memory(shape.solve, d, diagonalize_below).most, vectors),
          .system = static_cast<std::uint64_t>(8.0 * shape.rows() * columns),
          .products = {{200.0, columns}}};
}

}  // namespace

std::vector<TransformedCost> transformed_costs(const BlockShape& shape, const Grid& grid,
                                               Index diagonalize_below) {
  std::vector<TransformedCost> costs;
  const auto add = [&](const SolveCost& cost, std::size_t blocks) {
    costs.push_back({cost, static_cast<double>(blocks)});
  };
  double degree = largest(grid.powers);
  for (const auto& pi : grid.polynomials) degree = std::max(degree, static_cast<double>(pi.size()));
  if (degree > 0.0) {
    add(power_cost(shape, degree), grid.powers.size() + grid.polynomials.size());
  }
  if (!grid.times.empty()) {
    add(series_cost(shape, diffusion_products(largest(grid.times))), grid.times.size());
  }
  std::uint64_t eigenvectors = 0;
  if (!grid.dimensions.empty()) {
    const auto most = static_cast<Index>(largest(grid.dimensions)) + 1;
    const Index d = std::min(most, std::max<Index>(shape.solve.samples - shape.solve.labels, 1));
    eigenvectors = block_byte_count(shape.solve.samples, static_cast<double>(d));
    add(kernel_pca_cost(shape, d, diagonalize_below), grid.dimensions.size());
  }
  if (!grid.etas.empty() || !grid.poisson_etas.empty()) {
    SolveCost cost = resolvent_cost(shape);
    cost.blocks += eigenvectors;  // of kernel PCA, which may be used again
    add(cost, grid.etas.size() + grid.poisson_etas.size());
  }
  return costs;
}

BlockSummary transformed_blocks(const GramOperator& gram, const KernelRows& rows, const Grid& grid,
                                const BlockSink& sink, const BlockOptions& options,
                                const Context& context) {
  return Blocks(gram, rows, grid, sink, options, context).run();
}

}  // namespace stkr
