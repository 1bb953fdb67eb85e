#include "selection/dictionary_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "estimator/gram_spectrum.hpp"
#include "estimator/labeled_system.hpp"
#include "gram/weighted_gram.hpp"
#include "linop/chebyshev_recurrence.hpp"
#include "selection/transformed_blocks.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "transform/chebyshev.hpp"

namespace stkr {
namespace {

class Dictionary {
 public:
  Dictionary(const GramOperator& gram, std::span<const Index> labeled,
             std::span<const SpectralTransform> dictionary, const DictionaryOptions& options,
             const Context& context)
      : gram_(gram),
        rows_(gram, {labeled.begin(), labeled.end()}, std::vector<Index>{}),
        dictionary_(dictionary),
        options_(options),
        context_(context) {
    result_.blocks.resize(dictionary.size());
  }

  DictionaryBlocks run() {
    std::vector<std::size_t> laplacians, smooth;
    for (std::size_t k = 0; k < dictionary_.size(); ++k) {
      if (std::holds_alternative<InverseLaplacianTransform>(dictionary_[k].form())) {
        laplacians.push_back(k);
      } else if (has_pole(dictionary_[k])) {
        add_action(k);
      } else {
        smooth.push_back(k);
      }
    }
    if (!laplacians.empty()) add_laplacians(laplacians);
    if (!smooth.empty()) add_series(smooth);
    return std::move(result_);
  }

 private:
  static bool has_pole(const SpectralTransform& s) {
    const std::vector<TransformTerm> terms = terms_of(s);
    return std::any_of(terms.begin(), terms.end(), [](const TransformTerm& term) {
      return term.transform.reciprocal_form().has_value();
    });
  }

  // For rare members: with a pole beyond λ₁, bounds on the spectrum may be too loose for a series.
  void add_action(std::size_t k) {
    const SpectralAction action(gram_, dictionary_[k], {.tolerance = 0.01 * options_.tolerance},
                                context_);
    Matrix& block = result_.blocks[k];
    block = transformed_gram(gram_, action, rows_.labeled(), options_.block_bytes, nullptr);
    if (gram_.root_weights()) {
      block = inverse_or_zero(root_weights_at(gram_, rows_.labeled())).asDiagonal() * block;
    }
    finish(block);
    result_.products += action.products();
  }

  void add_laplacians(const std::vector<std::size_t>& places) {
    BlockOptions options;
    options.largest_eigenvalue = largest_eigenvalue(gram_, context_);
    options.tolerance = options_.tolerance;
    options.block_bytes = options_.block_bytes;
    Grid grid;
    grid.powers.clear();
    grid.etas.clear();
    grid.dimensions.clear();
    grid.propagation_etas.clear();
    for (const std::size_t k : places) {
      grid.etas.push_back(std::get<InverseLaplacianTransform>(dictionary_[k].form()).eta *
                          options.largest_eigenvalue);
    }
    std::mutex guard;
    const BlockSummary summary = transformed_blocks(
        gram_, rows_, grid,
        [&](std::size_t place, const TransformedBlock& block) {
          const std::lock_guard lock(guard);
          result_.blocks[places[place]] = block.labeled;
        },
        options, context_);
    for (const FamilyCost& cost : summary.costs) result_.products += cost.products;
    result_.warnings.insert(result_.warnings.end(), summary.warnings.begin(),
                            summary.warnings.end());
  }

  void add_series(const std::vector<std::size_t>& places) {
    GramSpectrum spectrum = known_spectrum(gram_);
    const SpectrumBounds& known = spectrum.bounds;
    // Weights make the known bounds loose, and a series on too wide an interval loses digits.
    if (!std::isfinite(known.lower) || !std::isfinite(known.upper) || gram_.root_weights()) {
      spectrum = estimated_spectrum(gram_, context_);
    }
    std::vector<ChebyshevSeries> series;
    std::size_t degree = 0;
    for (const std::size_t k : places) {
      const SpectralTransform& s = dictionary_[k];
      series.push_back(chebyshev_quotient([&](double lambda) { return s(lambda); }, spectrum.bounds,
                                          {.tolerance = 0.01 * options_.tolerance}));
      if (!series.back().converged) {
        result_.warnings.push_back(
            fmt::format("{}: approximated only to {:.1e}", s.describe(), series.back().error));
      }
      degree = std::max(degree, used(series.back()));
    }
    const Index n = rows_.labels();
    for (const std::size_t k : places) result_.blocks[k] = Matrix::Zero(n, n);
    const auto column = static_cast<std::size_t>(gram_.size()) * sizeof(double);
    const auto batch = static_cast<Index>(std::max<std::size_t>(options_.block_bytes / column, 1));
    for_batches(n, batch, [&](Index first, Index count) {
      const Matrix e =
          scatter_samples(gram_.shared_rows(), Matrix::Identity(count, count),
                          std::span(rows_.labeled()).subspan(first, count), gram_.size());
      ChebyshevRecurrence<Matrix> terms(gram_, {series[0].lower, series[0].upper}, std::move(e),
                                        context_.threads);
      for (std::size_t k = 0; k < degree; ++k) {
        context_.check_cancelled();
        if (k > 0) terms.advance();
        const Matrix sampled = rows_.apply(terms.current(), terms.image());
        ++result_.products;
        for (std::size_t i = 0; i < places.size(); ++i) {
          if (k >= used(series[i])) continue;
          result_.blocks[places[i]].middleCols(first, count) += series[i].coefficients[k] * sampled;
        }
      }
    });
    for (const std::size_t k : places) finish(result_.blocks[k]);
  }

  // How many coefficients are above rounding; each costs a product.
  static std::size_t used(const ChebyshevSeries& series) {
    double total = 0.0;
    for (const double c : series.coefficients) total += std::abs(c);
    std::size_t count = series.coefficients.size();
    while (count > 1 && std::abs(series.coefficients[count - 1]) < 1e-16 * total) --count;
    return count;
  }

  void finish(Matrix& block) const {
    if (gram_.root_weights()) {
      // The rows are divided by √w already.
      block = block * inverse_or_zero(root_weights_at(gram_, rows_.labeled())).asDiagonal();
    }
    block = 0.5 * (block + block.transpose()).eval();
  }

  const GramOperator& gram_;
  KernelRows rows_;
  std::span<const SpectralTransform> dictionary_;
  const DictionaryOptions& options_;
  const Context& context_;
  DictionaryBlocks result_;
};

}  // namespace

DictionaryBlocks dictionary_blocks(const GramOperator& gram, std::span<const Index> labeled,
                                   std::span<const SpectralTransform> dictionary,
                                   const DictionaryOptions& options, const Context& context) {
  return Dictionary(gram, labeled, dictionary, options, context).run();
}

}  // namespace stkr
