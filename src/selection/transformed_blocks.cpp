#include "stkr/selection/transformed_blocks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "stkr/error.hpp"
#include "stkr/estimator/kernel_pca.hpp"
#include "stkr/estimator/spectral_action.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/linop/parallel.hpp"
#include "stkr/selection/laplacian_series.hpp"
#include "stkr/solver/resolvent_space.hpp"
#include "stkr/transform/chebyshev.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {
namespace {

using Clock = std::chrono::steady_clock;

// One run of transformed_blocks: every function below fills `rows` for the parameters of a family,
// (n + scored) × n each.
class Blocks {
 public:
  Blocks(const GramOperator& gram, const KernelRows& rows, const Grid& grid, const BlockSink& sink,
         const BlockOptions& options)
      : gram_(gram),
        rows_(rows),
        grid_(grid),
        sink_(sink),
        options_(options),
        reached_(rows.reached(gram)) {}

  BlockSummary run() {
    // Kernel PCA first: its eigenvectors may serve the inverse Laplacians.
    for (const Family family : {Family::power, Family::polynomial, Family::diffusion, Family::top_d,
                                Family::inverse_laplacian}) {
      parameters_ = family_parameters(grid_, family);
      if (parameters_.empty() || grid_.betas.empty()) continue;
      const auto start = Clock::now();
      products_ = 0;
      if (family == Family::top_d) {
        kernel_pca_blocks();
      } else if (family != Family::inverse_laplacian || !laplacian_series_blocks()) {
        transform_blocks(family);
      }
      summary_.costs.push_back(
          {family, std::chrono::duration<double>(Clock::now() - start).count(), products_});
    }
    return std::move(summary_);
  }

 private:
  Index labels() const { return static_cast<Index>(rows_.labeled().size()); }

  void check_cancelled() const {
    if (options_.control.cancel.stop_requested()) throw Cancelled("stopped by the caller");
  }

  void emit(Family family, std::size_t place, Matrix labeled, Matrix scored,
            double coupling = 0.0) const {
    labeled = 0.5 * (labeled + labeled.transpose()).eval();
    // Exactly nothing, where rounding would have made up an answer.
    for (Index row = 0; row < scored.rows(); ++row) {
      if (!reached_[row]) scored.row(row).setZero();
    }
    sink_(place, {family, parameters_[place], std::move(labeled), std::move(scored), coupling});
  }

  // E for the labelled samples [first, first + count).
  Matrix label_columns(Index first, Index count) const {
    Matrix e = Matrix::Zero(gram_.size(), count);
    for (Index k = 0; k < count; ++k) e(rows_.labeled()[first + k], k) = 1.0;
    return e;
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
    const auto bytes_per_label = static_cast<std::size_t>(gram_.size()) * sizeof(double);
    const Index batch =
        std::clamp<Index>(static_cast<Index>(options_.block_bytes / bytes_per_label), 1,
                          std::max<Index>(labels(), 1));
    for (Index first = 0; first < labels(); first += batch) {
      const Index count = std::min(batch, labels() - first);
      if (family == Family::inverse_laplacian) {
        add_resolvents(first, count, rows);
      } else {
        add_polynomials(family, first, count, rows);
      }
    }
    parallel_tasks(static_cast<Index>(rows.size()), options_.threads, [&](Index place) {
      Matrix scored = rows[place].bottomRows(rows_.scored());
      rows[place].conservativeResize(labels(), Eigen::NoChange);
      emit(family, place, std::move(rows[place]), std::move(scored));
    });
  }

  // Exact polynomials as sums of S^k E; anything else by its Chebyshev series in T_k(S) E.
  void add_polynomials(Family family, Index first, Index count, std::vector<Matrix>& rows) {
    std::vector<std::vector<double>> monomials(rows.size()), chebyshev(rows.size());
    std::size_t degree = 0, chebyshev_degree = 0;
    SpectrumBounds interval;
    for (std::size_t place = 0; place < rows.size(); ++place) {
      const SpectralTransform transform = transform_of(family, place);
      if (auto pi = transform.polynomial_coefficients()) {
        monomials[place] = std::move(*pi);
        degree = std::max(degree, monomials[place].size());
      } else {
        if (chebyshev_degree == 0) {
          interval =
              estimated_spectrum(gram_, options_.seed, options_.threads, options_.control.cancel)
                  .bounds;
        }
        ChebyshevSeries series =
            chebyshev_quotient([&](double lambda) { return transform(lambda); }, interval);
        interval = {series.lower, series.upper};
        if (first == 0) warn_of_error(transform, series);
        chebyshev[place] = std::move(series.coefficients);
        chebyshev_degree = std::max(chebyshev_degree, chebyshev[place].size());
      }
    }
    Matrix x = label_columns(first, count), next(gram_.size(), count);
    const auto add = [&](const std::vector<std::vector<double>>& coefficients, std::size_t k) {
      const Matrix sampled = rows_.apply(x, next);
      for (std::size_t place = 0; place < rows.size(); ++place) {
        if (k < coefficients[place].size() && coefficients[place][k] != 0.0) {
          rows[place].middleCols(first, count) += coefficients[place][k] * sampled;
        }
      }
    };
    const auto multiply = [&] {
      check_cancelled();
      gram_.apply(x, next);
      ++products_;
    };
    for (std::size_t k = 0; k < degree; ++k) {
      multiply();
      add(monomials, k);  // π_{k+1} R S^k E
      x.swap(next);
    }
    if (chebyshev_degree == 0) return;
    x = label_columns(first, count);
    const double centre = 0.5 * (interval.lower + interval.upper);
    const double half = 0.5 * (interval.upper - interval.lower);
    Matrix previous = Matrix::Zero(gram_.size(), count);
    for (std::size_t k = 0; k < chebyshev_degree; ++k) {
      multiply();
      add(chebyshev, k);
      // T_{k+1} = 2t T_k - T_{k-1}, T_1 = t
      next = ((k == 0 ? 1.0 : 2.0) / half) * (next - centre * x) - previous;
      previous.swap(x);
      x.swap(next);
    }
  }

  // λ^p has a kink at 0 where p is not whole, and polynomials come only so close to it.
  void warn_of_error(const SpectralTransform& transform, const ChebyshevSeries& series) {
    const double largest = std::max(std::abs(transform(series.lower)), transform(series.upper));
    if (series.error <= 1e-8 * largest) return;
    summary_.warnings.push_back(fmt::format(
        "{}: approximated to {:.1e} of its largest value, because the spectrum [{:.4g}, {:.4g}] "
        "reaches below 0; a lazy walk avoids that",
        transform.describe(), series.error / largest, series.lower, series.upper));
  }

  void add_resolvents(Index first, Index count, std::vector<Matrix>& rows) {
    ResolventOptions options;
    options.hardest_eta =
        *std::max_element(parameters_.begin(), parameters_.end()) / options_.largest_eigenvalue;
    options.tolerance = options_.tolerance;
    const KnownEigenspace* known = gram_.known_eigenspace();
    options.deflate = known && known->dimension() > 0 ? known : nullptr;
    options.most_bytes = options_.memory / 2;
    options.threads = options_.threads;
    options.control = options_.control;
    const ResolventSpace space(
        gram_, label_columns(first, count),
        [&](ConstMatrixRef x, ConstMatrixRef s_x) { return rows_.apply(x, s_x); }, options);
    products_ += space.summary().products;
    if (!space.summary().converged()) {
      summary_.warnings.push_back("inverse Laplacian: " + space.summary().message);
    }
    parallel_tasks(static_cast<Index>(rows.size()), options_.threads, [&](Index place) {
      rows[place].middleCols(first, count) =
          space.rows(parameters_[place] / options_.largest_eigenvalue);
    });
  }

  void kernel_pca_blocks() {
    check_cancelled();  // few samples are given to LAPACK, which cannot be stopped
    const Index unlabeled = gram_.size() - labels();
    const auto largest =
        static_cast<Index>(*std::max_element(parameters_.begin(), parameters_.end()));
    if (unlabeled == 0) {
      summary_.warnings.push_back(
          "kernel PCA is left out: it learns from unlabelled samples, and there are none");
      return;
    }
    KernelPcaOptions options;
    // One more than asked for tells whether d parts equal eigenvalues.
    options.dimension = std::min(unlabeled, largest + 1);
    options.fewer_if_not_positive = true;
    options.tolerance = options_.eigen_tolerance;
    options.execution.diagonalize_below = options_.diagonalize_below;
    options.seed = options_.seed;
    options.threads = options_.threads;
    options.control = options_.control;
    pca_ = kernel_pca(gram_, rows_.labeled(), options);
    const KernelPca& pca = *pca_;
    products_ += pca.summary.products;
    if (!pca.summary.converged()) {
      summary_.warnings.push_back("kernel PCA: " + pca.summary.message);
    }
    std::vector<double> too_many, ambiguous;
    for (const double d : parameters_) {
      const auto dimension = static_cast<Index>(d);
      if (dimension > pca.eigenvalues.size()) {
        too_many.push_back(d);
      } else if (dimension < pca.eigenvalues.size() &&
                 pca.eigenvalues[dimension - 1] - pca.eigenvalues[dimension] <
                     1e-8 * pca.eigenvalues[0]) {
        ambiguous.push_back(d);
      }
    }
    if (!too_many.empty()) {
      summary_.warnings.push_back(fmt::format(
          "kernel PCA: d = {:g} left out: the kernel has {} positive eigenvalues on the {} "
          "unlabelled samples",
          fmt::join(too_many, ", "), pca.eigenvalues.size(), unlabeled));
    }
    if (!ambiguous.empty()) {
      summary_.warnings.push_back(fmt::format(
          "kernel PCA: d = {:g} parts equal eigenvalues, so its scores depend on the choice of "
          "eigenvectors",
          fmt::join(ambiguous, ", ")));
    }
    const Matrix vectors = scatter_rows(pca.vectors, pca.unlabeled, gram_.size());
    psi_ = rows_.apply(vectors, product(gram_, vectors));
    const Matrix& psi = psi_;
    ++products_;
    parallel_tasks(static_cast<Index>(parameters_.size()), options_.threads, [&](Index place) {
      const auto d = static_cast<Index>(parameters_[place]);
      if (d > pca.eigenvalues.size()) return;
      const auto labeled = psi.topLeftCorner(labels(), d);
      const auto scored = psi.bottomLeftCorner(rows_.scored(), d);
      emit(Family::top_d, place, labeled * labeled.transpose(), scored * labeled.transpose());
    });
  }

  // Whether the eigenvectors of kernel PCA are there, are allowed to help, and do.
  bool laplacian_series_blocks() {
    if (!options_.coupled || !pca_) return false;
    // It takes all labels at once.
    if (static_cast<std::size_t>(gram_.size() * labels()) * sizeof(double) > options_.block_bytes) {
      return false;
    }
    std::vector<double> etas = parameters_;
    for (double& eta : etas) eta /= options_.largest_eigenvalue;
    if (!LaplacianSeries::length(gram_, *pca_, *std::max_element(etas.begin(), etas.end()))) {
      return false;
    }
    check_cancelled();
    const LaplacianSeries series(gram_, rows_, *pca_, psi_, etas, options_.threads,
                                 options_.control.cancel);
    products_ += series.products();
    parallel_tasks(static_cast<Index>(etas.size()), options_.threads, [&](Index place) {
      emit(Family::inverse_laplacian, place, series.rows(place).topRows(labels()),
           series.rows(place).bottomRows(rows_.scored()),
           etas[place] / static_cast<double>(gram_.size()));
    });
    return true;
  }

  const GramOperator& gram_;
  const KernelRows& rows_;
  const Grid& grid_;
  const BlockSink& sink_;
  const BlockOptions& options_;
  std::vector<char> reached_;       // of the scored samples
  std::vector<double> parameters_;  // of the family at hand
  std::optional<KernelPca> pca_;    // once there, of the largest d
  Matrix psi_;                      // ψ̂_i(x), one row per labelled and scored x
  long products_ = 0;
  BlockSummary summary_;
};

}  // namespace

BlockSummary transformed_blocks(const GramOperator& gram, const KernelRows& rows, const Grid& grid,
                                const BlockSink& sink, const BlockOptions& options) {
  return Blocks(gram, rows, grid, sink, options).run();
}

FamilyCost propagated_blocks(const GramOperator& gram, const KernelRows& rows, Matrix b,
                             const Grid& grid, const PropagationSink& sink,
                             const BlockOptions& options) {
  const auto start = Clock::now();
  FamilyCost cost{Family::label_propagation};
  if (grid.propagation_steps.empty() || grid.propagation_etas.empty()) return cost;
  const int last = *std::max_element(grid.propagation_steps.begin(), grid.propagation_steps.end());
  std::vector<Matrix> sums(grid.propagation_etas.size());
  for (Matrix& sum : sums) sum = rows.gather(b);
  Matrix next(b.rows(), b.cols());
  for (int k = 1; k <= last; ++k) {
    if (options.control.cancel.stop_requested()) throw Cancelled("stopped by the caller");
    gram.apply(b, next);
    b.swap(next);
    ++cost.products;
    const Matrix sampled = rows.gather(b);
    const auto steps = std::find(grid.propagation_steps.begin(), grid.propagation_steps.end(), k);
    for (std::size_t e = 0; e < sums.size(); ++e) {
      const double eta = grid.propagation_etas[e] / options.largest_eigenvalue;
      sums[e] += std::pow(eta, k) * sampled;
      if (steps != grid.propagation_steps.end()) {
        sink(e, static_cast<std::size_t>(steps - grid.propagation_steps.begin()), sums[e]);
      }
    }
  }
  cost.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return cost;
}

}  // namespace stkr
