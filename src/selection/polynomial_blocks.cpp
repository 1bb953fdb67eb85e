#include "selection/polynomial_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimator/gram_spectrum.hpp"
#include "linop/chebyshev_recurrence.hpp"
#include "runtime/byte_count.hpp"
#include "runtime/progress_counter.hpp"
#include "transform/chebyshev.hpp"

namespace stkr {
namespace {

// Coefficients of q with s(λ) = s(δ) + (λ - δ) q(λ) for s(λ) = Σ π_p λ^p, by Horner's scheme.
std::vector<double> quotient_coefficients(const std::vector<double>& pi, double delta) {
  std::vector<double> q(pi.size());
  double carry = 0.0;
  for (std::size_t k = pi.size(); k-- > 0;) q[k] = carry = pi[k] + delta * carry;
  return q;
}

// λ^p has a kink at 0 unless p is an integer, and polynomials approximate it poorly.
void warn_of_error(const SpectralTransform& transform, const ChebyshevSeries& series,
                   std::vector<std::string>& warnings) {
  const double largest = std::max(std::abs(transform(series.lower)), transform(series.upper));
  if (series.error <= 1e-8 * largest) return;
  warnings.push_back(fmt::format(
      "{}: approximated to {:.1e} of its largest value, because the spectrum [{:.4g}, {:.4g}] "
      "reaches below 0; kernel lazy-walk avoids that",
      transform.describe(), series.error / largest, series.lower, series.upper));
}

// Coefficients in one basis for each transform: of g for known samples and of q for new ones
// (TransformedPair). None for transforms in the other basis.
struct Coefficients {
  explicit Coefficients(std::size_t transforms) : known(transforms), fresh(transforms) {}

  void set(std::size_t place, std::vector<double> of_known, std::vector<double> of_fresh) {
    degree = std::max({degree, of_known.size(), of_fresh.size()});
    known[place] = std::move(of_known);
    fresh[place] = std::move(of_fresh);
  }

  std::vector<std::vector<double>> known, fresh;
  std::size_t degree = 0;
};

class PolynomialBlocks {
 public:
  PolynomialBlocks(const GramOperator& gram, const KernelRows& rows,
                   const std::vector<SpectralTransform>& transforms, const Context& context,
                   std::vector<Matrix>& blocks)
      : gram_(gram),
        rows_(rows),
        context_(context),
        blocks_(blocks),
        monomials_(transforms.size()),
        chebyshev_(transforms.size()) {
    const double delta = gram.self_term();
    for (std::size_t place = 0; place < transforms.size(); ++place) {
      const SpectralTransform& transform = transforms[place];
      if (auto pi = transform.polynomial_coefficients()) {
        std::vector<double> q = quotient_coefficients(*pi, delta);
        monomials_.set(place, std::move(*pi), std::move(q));
      } else {
        if (chebyshev_.degree == 0) interval_ = estimated_spectrum(gram, context).bounds;
        approximate(transform, place, delta);
      }
    }
  }

  // For the labels [first, first + count).
  void add(Index first, Index count) {
    if (monomials_.degree > 0) add_powers(first, count);
    if (chebyshev_.degree > 0) add_series(first, count);
  }

  PolynomialSummary summary() && { return std::move(summary_); }

 private:
  void approximate(const SpectralTransform& transform, std::size_t place, double delta) {
    const auto s = [&](double lambda) { return transform(lambda); };
    ChebyshevSeries series = chebyshev_quotient(s, interval_);
    interval_ = {series.lower, series.upper};
    warn_of_error(transform, series, summary_.warnings);
    std::vector<double> q = delta == 0.0
                                ? series.coefficients
                                : chebyshev_quotient(s, interval_, {.at = delta}).coefficients;
    chebyshev_.set(place, std::move(series.coefficients), std::move(q));
  }

  // E for the labeled samples [first, first + count).
  Matrix label_columns(Index first, Index count) const {
    return scatter_samples(gram_.shared_rows(), Matrix::Identity(count, count),
                           std::span(rows_.labeled()).subspan(first, count), gram_.size());
  }

  void add_powers(Index first, Index count) {
    Matrix x = label_columns(first, count), next(gram_.local_size(), count);
    ProgressCounter counter(context_.progress, "powers", static_cast<Index>(monomials_.degree));
    for (std::size_t k = 0; k < monomials_.degree; ++k) {
      context_.check_cancelled();
      gram_.apply(x, next);
      ++summary_.products;
      add_term(first, rows_.apply(x, next), monomials_, k);  // π_{k+1} R S^k E
      x.swap(next);
      counter.add();
    }
  }

  void add_series(Index first, Index count) {
    ChebyshevRecurrence<Matrix> terms(gram_, interval_, label_columns(first, count),
                                      context_.threads);
    ProgressCounter counter(context_.progress, "series", static_cast<Index>(chebyshev_.degree));
    for (std::size_t k = 0; k < chebyshev_.degree; ++k) {
      context_.check_cancelled();
      if (k > 0) terms.advance();
      add_term(first, rows_.apply(terms.current(), terms.image()), chebyshev_, k);
      ++summary_.products;
      counter.add();
    }
  }

  // The k-th term of all transforms, which share its values at the labeled and scored samples.
  void add_term(Index first, const Matrix& sampled, const Coefficients& coefficients,
                std::size_t k) {
    const auto at = [k](const std::vector<double>& values) {
      return k < values.size() ? values[k] : 0.0;
    };
    const Index fresh = rows_.fresh(), known = sampled.rows() - fresh;
    for (std::size_t place = 0; place < blocks_.size(); ++place) {
      auto columns = blocks_[place].middleCols(first, sampled.cols());
      if (const double c = at(coefficients.known[place]); c != 0.0) {
        columns.topRows(known) += c * sampled.topRows(known);
      }
      if (const double c = at(coefficients.fresh[place]); c != 0.0) {
        columns.bottomRows(fresh) += c * sampled.bottomRows(fresh);
      }
    }
  }

  const GramOperator& gram_;
  const KernelRows& rows_;
  const Context& context_;
  std::vector<Matrix>& blocks_;
  Coefficients monomials_, chebyshev_;
  SpectrumBounds interval_;  // of the Chebyshev series
  PolynomialSummary summary_;
};

// One batch of labels after the other, each with some N × batch blocks.
SolveCost batches_cost(const BlockShape& shape, double blocks, double products) {
  const auto batch = static_cast<double>(shape.labels_at_once);
  const double in_product = static_cast<double>(shape.solve.scratch);
  return {.blocks = block_byte_count(shape.solve.samples, batch, blocks + in_product),
          .products = {{std::ceil(shape.labels() / batch) * products, batch}}};
}

}  // namespace

SolveCost power_cost(const BlockShape& shape, double degree) {
  return batches_cost(shape, 3.0, degree);
}

SolveCost series_cost(const BlockShape& shape, double terms) {
  return batches_cost(shape, 5.0, terms);
}

PolynomialSummary polynomial_blocks(const GramOperator& gram, const KernelRows& rows,
                                    const std::vector<SpectralTransform>& transforms,
                                    Index labels_at_once, const Context& context,
                                    std::vector<Matrix>& blocks) {
  PolynomialBlocks all(gram, rows, transforms, context, blocks);
  for (Index first = 0; first < rows.labels(); first += labels_at_once) {
    all.add(first, std::min(labels_at_once, rows.labels() - first));
  }
  return std::move(all).summary();
}

}  // namespace stkr
