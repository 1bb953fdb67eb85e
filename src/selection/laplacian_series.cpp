#include "selection/laplacian_series.hpp"

#include <algorithm>
#include <cmath>

#include "linop/chebyshev_recurrence.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

constexpr double kTruncation = 1e-13;  // of the series, relative
constexpr int kLongest = 150;

// 1/(1 - ηλ) on [lower, upper] is Σ_k a q^k T_k(t), the first term halved.
struct Series {
  double a, q;

  Series(double lower, double upper, double eta) {
    const double center = 0.5 * (lower + upper), half = 0.5 * (upper - lower);
    const double z = (1.0 - eta * center) / (eta * half);
    const double root = std::sqrt(z * z - 1.0);
    q = 1.0 / (z + root);
    a = 2.0 / (root * eta * half);
  }
  double coefficient(int k) const { return (k == 0 ? 0.5 : 1.0) * a * std::pow(q, k); }
};

// Eigenvalues of S_uu: kernel PCA's are those of (N/m) S_uu.
Vector eigenvalues(const GramOperator& gram, const KernelPca& pca) {
  return pca.eigenvalues *
         (static_cast<double>(pca.unlabeled.size()) / static_cast<double>(gram.size()));
}

// Bounds on the rest of the spectrum of S_uu, which interlaces with that of S. The known
// eigenvalues are accurate up to their residuals.
SpectrumBounds remaining(const GramOperator& gram, const Vector& known) {
  const double scale = std::abs(known[0]);
  const double upper = known.tail(1)[0] + 1e-6 * scale;
  return {std::min(gram.bounds().lower, upper - 1e-3 * scale), upper};
}

}  // namespace

std::optional<int> LaplacianSeries::length(const GramOperator& gram, const KernelPca& pca,
                                           double hardest_eta) {
  if (pca.eigenvalues.size() == 0 || !pca.summary.converged()) return std::nullopt;
  const SpectrumBounds interval = remaining(gram, eigenvalues(gram, pca));
  if (!std::isfinite(interval.lower) || hardest_eta * interval.upper >= 1.0) return std::nullopt;
  const double terms =
      std::log(kTruncation) / std::log(Series(interval.lower, interval.upper, hardest_eta).q);
  if (!(terms < kLongest)) return std::nullopt;
  return static_cast<int>(terms) + 1;
}

LaplacianSeries::LaplacianSeries(const GramOperator& gram, const KernelRows& rows,
                                 const KernelPca& pca, ConstMatrixRef psi,
                                 const std::vector<double>& etas, const Context& context) {
  const auto n = static_cast<Index>(rows.labeled().size());
  const auto size = static_cast<double>(gram.size());
  const Vector theta = eigenvalues(gram, pca);
  const SpectrumBounds interval = remaining(gram, theta);
  const double hardest = *std::max_element(etas.begin(), etas.end());
  const int terms = *length(gram, pca, hardest);
  const auto clear_labeled = [&](Matrix& x) {
    for (const Index i : rows.labeled()) x.row(i).setZero();
  };

  // E, then S_ul: all rows of S E except the labeled ones.
  Matrix x = scatter_rows(Matrix::Identity(n, n), rows.labeled(), gram.size());
  Matrix y = product(gram, x);
  products_ = 1;
  const Matrix base = rows.apply(x, y);  // [N S_ll; R_l]
  x.swap(y);
  clear_labeled(x);

  // The part in the eigenvectors u_i = √(mλ̃_i) v_i: u_iᵀ S_ul = N⁻¹ (R u_i at the labeled)ᵀ.
  const Vector squares = pca.eigenvalues * static_cast<double>(pca.unlabeled.size());
  const Matrix inside =
      (squares.asDiagonal() * psi.topRows(n).transpose()) / size;  // v-coordinates
  const Matrix part = tall_times_small(pca.vectors, inside, context.threads);
  for (std::size_t k = 0; k < pca.unlabeled.size(); ++k) x.row(pca.unlabeled[k]) -= part.row(k);

  std::vector<Series> series;
  for (const double eta : etas) {
    series.emplace_back(interval.lower, interval.upper, eta);
    const Vector g = (1.0 - eta * theta.array()).inverse();
    blocks_.push_back(psi * (g.asDiagonal() * inside));
  }
  y.resize(0, 0);
  ChebyshevRecurrence<Matrix> chebyshev(gram, interval, std::move(x), context.threads);
  for (int k = 0; k < terms; ++k) {
    context.check_cancelled();
    if (k > 0) chebyshev.advance();
    Matrix& image = chebyshev.image();
    ++products_;
    const Matrix sampled = rows.apply(chebyshev.current(), image);
    for (std::size_t e = 0; e < etas.size(); ++e) {
      blocks_[e] += series[e].coefficient(k) * sampled;
    }
    clear_labeled(image);  // the recurrence is that of S_uu
  }
  for (std::size_t e = 0; e < etas.size(); ++e) blocks_[e] = base + etas[e] * blocks_[e];
}

}  // namespace stkr
