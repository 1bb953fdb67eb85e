#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gram/dense_gram.hpp"
#include "runtime/random.hpp"
#include "stkr/error.hpp"
#include "stkr/theory/fit_estimates.hpp"

namespace stkr {
namespace {

constexpr Index kRowsAtOnce = 1024;  // of K between all samples and those of a fit

Vector norm_weights(Index samples, const Vector& given) {
  if (given.size() == 0) {
    return Vector::Constant(samples, 1.0 / static_cast<double>(samples));
  }
  if (given.size() != samples) {
    throw ShapeError(fmt::format("cross-fit: {} weights for {} samples; expected one per sample",
                                 given.size(), samples));
  }
  if (!given.allFinite() || given.minCoeff() < 0.0 || !(given.sum() > 0.0)) {
    throw ValueError(
        "cross-fit: a weight is negative or not finite, or all are 0; expected p_i >= 0");
  }
  return given / given.sum();
}

// The unlabeled samples in B parts whose sizes differ by at most one.
std::vector<std::vector<Index>> random_parts(Index samples, std::span<const Index> labeled,
                                             Index parts, std::uint64_t seed) {
  std::vector<Index> unlabeled = unlabeled_samples(samples, labeled);
  const auto count = static_cast<Index>(unlabeled.size());
  if (parts < 2 || count < parts) {
    throw ValueError(fmt::format(
        "cross-fit: {} parts of {} unlabeled samples; expected at least 2 parts, and at most as "
        "many as unlabeled samples",
        parts, count));
  }
  Random random(seed);
  random.shuffle(unlabeled);
  std::vector<std::vector<Index>> result;
  for (Index b = 0; b < parts; ++b) {
    result.emplace_back(unlabeled.begin() + b * count / parts,
                        unlabeled.begin() + (b + 1) * count / parts);
    std::sort(result.back().begin(), result.back().end());
  }
  return result;
}

std::vector<Index> with_labeled(std::vector<Index> part, std::span<const Index> labeled) {
  part.insert(part.end(), labeled.begin(), labeled.end());
  std::sort(part.begin(), part.end());
  return part;
}

}  // namespace

CrossFit cross_fit(Index samples, std::span<const Index> labeled, const PartFit& fit,
                   const CrossFitOptions& options, const Context& context) {
  const Vector weights = norm_weights(samples, options.weights);
  CrossFit result;
  result.parts = random_parts(samples, labeled, options.parts, context.seed);
  std::vector<Matrix> values;
  for (const std::vector<Index>& part : result.parts) {
    context.check_cancelled();
    values.push_back(fit(with_labeled(part, labeled)));
    const Matrix& now = values.back();
    if (now.rows() != samples || now.cols() != values.front().cols()) {
      throw ShapeError(fmt::format(
          "cross-fit: a fit returned {} x {} values; expected {} x {}, f at all samples",
          now.rows(), now.cols(), samples, values.front().cols()));
    }
  }
  const double count = static_cast<double>(values.size());
  result.mean = Matrix::Zero(samples, values.front().cols());
  for (const Matrix& now : values) result.mean += now / count;
  for (const Matrix& now : values) {
    const Vector squares = (now - result.mean).rowwise().squaredNorm();
    result.terms.push_back(weights.dot(squares) / (count - 1.0));
  }
  result.estimate = std::accumulate(result.terms.begin(), result.terms.end(), 0.0) / count;
  const double n = static_cast<double>(labeled.size()), m = static_cast<double>(samples) - n;
  const double in_part = n + m / count;
  result.adjusted = result.estimate * in_part * in_part * count * count / (m * (n + m));
  double spread = 0.0;
  for (const double term : result.terms) {
    spread += (term - result.estimate) * (term - result.estimate);
  }
  result.standard_error = std::sqrt(spread / (count - 1.0) / count);
  return result;
}

CrossFit cross_fit_stkr(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
                        const StkrOptions& options, const CrossFitOptions& cross,
                        const Context& context) {
  check_labeled(gram, labeled, y);
  if (options.choose_ridge) {
    throw ValueError(
        "cross-fit: the ridge would be chosen anew in each part; give the ridge of the fit (beta)");
  }
  if (gram.root_weights() != nullptr) {
    throw ValueError("cross-fit: samples carry weights; expected samples that count equally");
  }
  const Index samples = gram.size();
  const auto part_fit = [&](std::span<const Index> chosen) {
    const DenseGram inner(gram.block(chosen, chosen), context.threads);
    std::vector<Index> places;  // of the labeled samples among the chosen ones
    for (const Index sample : labeled) {
      places.push_back(std::lower_bound(chosen.begin(), chosen.end(), sample) - chosen.begin());
    }
    const Fit fit = fit_stkr(inner, places, y, options, context.inner());
    Matrix values(samples, y.cols());
    for (Index first = 0; first < samples; first += kRowsAtOnce) {
      std::vector<Index> rows(static_cast<std::size_t>(std::min(kRowsAtOnce, samples - first)));
      std::iota(rows.begin(), rows.end(), first);
      values.middleRows(first, static_cast<Index>(rows.size())).noalias() =
          gram.block(rows, chosen) * fit.coefficients;
    }
    if (fit.constant.size() > 0) values.rowwise() += fit.constant.transpose();
    return values;
  };
  return cross_fit(samples, labeled, part_fit, cross, context);
}

}  // namespace stkr
