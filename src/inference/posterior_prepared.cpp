// The posterior of many new samples: what does not depend on them is computed once.
//
// f(x) - f̂(x) = f(x) - a(x)ᵀ(f(X) + ε) over the labels X. Of its variance, random functions
// estimate the part of (λ - δ)² h(λ), by the mean of their squares; the tangent's part and that of
// the noise ε are quadratic forms in a(x) with known values. If there is no tangent part and only
// one fit, the columns for a(x) are not needed either: f(x) - a(x)ᵀ(f(X) + ε) of each random
// function is one column, and the noise needs few directions exactly.

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <optional>

#include "estimator/poisson_leading.hpp"
#include "inference/posterior_mixture.hpp"
#include "inference/posterior_paths.hpp"
#include "inference/tangent_split.hpp"
#include "stkr/error.hpp"
#include "stkr/inference/inference.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

constexpr Index kRowsAtOnce = 64;
constexpr double kEstimatedNoise = 0.02;  // share of the noise that random functions estimate
constexpr Index kNoiseSamples = 1000;     // known samples whose noise chooses its directions

// A single fit without a tangent: its block has the noise of some directions, then the residuals of
// the random functions. Offsets: what a free constant adds to them at every sample.
struct SingleFit {
  Index directions = 0;
  Eigen::RowVectorXd noise_offset;
  Eigen::RowVectorXd rest_offset;
};

struct PreparedTerm {
  std::vector<TermRidge> ridges;
  std::vector<Vector> noise;  // of the labels, for each ridge
  TangentSplit split;
  Index first = 0;   // column of its k_s(x) in the block; those of the random functions follow
  Matrix functions;  // at the labels: n × probes
  Matrix tangent;    // covariance of the labels without that of the functions: n × n
  std::unique_ptr<PoissonLeading> leading;  // of the Poisson transform
  std::optional<SingleFit> single;
};

// Directions of the labels' noise, by their share in the noise of predictions a(x)ᵀε: n × r, with
// orthonormal columns.
Matrix noise_directions(const Matrix& a, const Vector& noise) {
  const Matrix scaled = a * noise.cwiseSqrt().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(scaled.transpose() * scaled);
  const Vector energy = eigen.eigenvalues().cwiseMax(0.0);
  const double most = kEstimatedNoise * energy.sum();
  Index left = 0;
  double sum = 0.0;
  while (left < energy.size() && sum + energy[left] <= most) sum += energy[left++];
  return eigen.eigenvectors().rightCols(energy.size() - left);
}

// The leading eigenvectors at new samples, Σ_j S°_xj u_j/(λ₁ - δ): groups × M.
Matrix leading_values(const PlacedSamples& placed, const KnownEigenspace& space, double delta,
                      int threads) {
  const double unit = static_cast<double>(space.size()) * (space.eigenvalue() - delta);
  return space.coefficients(placed.rows()->transpose(), threads) / unit;
}

// What the Poisson transform changes in the tangent's covariances: it removes the leading
// eigenvectors, or keeps nothing else. `factor`: N(s(δ) + s'(δ)(λ₁ - δ)).
void remove_leading(const PoissonLeading& leading, std::span<const Index> labeled, double factor,
                    double size, Matrix& tangent) {
  const KnownEigenspace& space = leading.space();
  const Vector kept = leading.known_factors() * space.eigenvalue();
  for (Index i = 0; i < tangent.rows(); ++i) {
    for (Index j = 0; j < tangent.cols(); ++j) {
      const std::int32_t group = space.group(labeled[i]);
      if (group < 0 || group != space.group(labeled[j])) continue;
      const double both = space.weights()[labeled[i]] * space.weights()[labeled[j]];
      tangent(i, j) = kept[group] > 0.0 ? size * kept[group] * both : tangent(i, j) - factor * both;
    }
  }
}

}  // namespace

struct PreparedPosterior::Implementation {
  FittedSystem system;
  PosteriorOptions options;
  std::unique_ptr<CrossKernel> cross;
  // A kernel row times this: k_s(x) and the random functions of each term, then K(x, x_i) if
  // a tangent has a slope.
  Matrix block;
  std::vector<PreparedTerm> terms;

  bool add(const TermSystem& term, Random& random, const Context& context);
  void keep_residuals(const TermSystem& term, Random& random, PreparedTerm& one);
  Posterior estimate(const NewSamples& samples, const Context& context) const;
  Vector variance(const PreparedTerm& term, std::size_t ridge, const Matrix& all, const Vector& own,
                  const Matrix& leading) const;
};

// False if the transform has no random functions.
bool PreparedPosterior::Implementation::add(const TermSystem& term, Random& random,
                                            const Context& context) {
  const GramOperator& gram = *system.gram;
  const std::vector<Index>& labeled = system.targets.labeled;
  const Index n = system.labels();
  const auto size = static_cast<double>(gram.size());
  const double delta = gram.self_term();
  std::optional<TangentSplit> split = tangent_split(term.action(), delta);
  if (!split) return false;
  PreparedTerm one;
  one.first = static_cast<Index>(terms.size()) * (n + options.probes);
  one.split = std::move(*split);
  one.ridges = term.ridges();
  for (const TermRidge& ridge : one.ridges) one.noise.push_back(label_noise(term, ridge, n));
  one.tangent = one.split.slope * gram.block(labeled, labeled);
  one.tangent.diagonal().array() += size * (one.split.value - delta * one.split.slope);
  Matrix omega(gram.size(), options.probes);
  fill_normal(random, omega);
  if (const auto* form = std::get_if<PoissonTransform>(&term.action().transform().form())) {
    const KnownEigenspace* space = gram.known_eigenspace();
    one.leading = std::make_unique<PoissonLeading>(
        gram, form->eta, groups_of_equal_labels(space, labeled, system.targets.y));
    one.leading->restrict_to_rest(omega, context.threads);
    const double factor =
        size * (one.split.value + one.split.slope * (space->eigenvalue() - delta));
    remove_leading(*one.leading, labeled, factor, size, one.tangent);
  }
  Matrix functions(gram.size(), options.probes);
  apply_chebyshev<Matrix>(gram, one.split.root, omega, functions, context.threads);
  functions /= std::sqrt(size);
  one.functions =
      size * gather_rows((product(gram, functions) - delta * functions).eval(), labeled);
  block.middleCols(one.first, n) = term.fresh();
  block.middleCols(one.first + n, options.probes) = functions;
  const bool single = system.terms.size() == 1 && one.ridges.size() == 1;
  if (single && !one.leading && one.split.slope == 0.0 && one.split.value == 0.0) {
    keep_residuals(term, random, one);
  }
  terms.push_back(std::move(one));
  return true;
}

// Replaces the columns of the labels by what they are needed for.
void PreparedPosterior::Implementation::keep_residuals(const TermSystem& term, Random& random,
                                                       PreparedTerm& one) {
  const Index n = system.labels(), size = system.size();
  const bool constant = system.targets.constant;
  const LinearSolution& solution = one.ridges.front().solution;
  const Matrix weights = (constant ? solution.response : solution.inverse).transpose();
  std::vector<Index> some;
  const Index step = std::max<Index>(1, size / kNoiseSamples);
  for (Index i = 0; i < size; i += step) some.push_back(i);
  Matrix a = gather_rows(term.known(), some) * weights;
  if (constant) a.rowwise() += solution.offset.transpose();
  const Vector& noise = one.noise.front();
  const Matrix directions = noise_directions(a, noise);
  if (directions.cols() >= n) return;
  const Matrix exact = noise.cwiseSqrt().asDiagonal() * directions;
  Matrix drawn(n, options.probes);
  fill_normal(random, drawn);
  drawn -= directions * (directions.transpose() * drawn).eval();
  drawn = (noise.cwiseSqrt().asDiagonal() * drawn).eval() + one.functions;
  SingleFit kept{.directions = directions.cols(),
                 .noise_offset = Eigen::RowVectorXd::Zero(directions.cols()),
                 .rest_offset = Eigen::RowVectorXd::Zero(options.probes)};
  if (constant) {
    kept.noise_offset = solution.offset.transpose() * exact;
    kept.rest_offset = -solution.offset.transpose() * drawn;
  }
  Matrix columns(size, kept.directions + options.probes);
  columns.leftCols(kept.directions) = term.fresh() * (weights * exact).eval();
  columns.rightCols(options.probes) =
      block.middleCols(n, options.probes) - (term.fresh() * (weights * drawn).eval()).eval();
  block = std::move(columns);
  one.single = std::move(kept);
}

Vector PreparedPosterior::Implementation::variance(const PreparedTerm& term, std::size_t at,
                                                   const Matrix& all, const Vector& own,
                                                   const Matrix& leading) const {
  if (term.single) {
    const SingleFit& single = *term.single;
    const Matrix noise = all.leftCols(single.directions).rowwise() + single.noise_offset;
    const Matrix rest = all.rightCols(options.probes).rowwise() + single.rest_offset;
    return noise.rowwise().squaredNorm() +
           rest.rowwise().squaredNorm() / static_cast<double>(options.probes);
  }
  const TermRidge& ridge = term.ridges[at];
  const std::vector<Index>& labeled = system.targets.labeled;
  const Index n = system.labels();
  const auto size = static_cast<double>(system.size());
  const bool constant = system.targets.constant;
  const Matrix k = all.middleCols(term.first, n);
  Matrix a = k * (constant ? ridge.solution.response : ridge.solution.inverse).transpose();
  if (constant) a.rowwise() += ridge.solution.offset.transpose();
  const Matrix rest = all.middleCols(term.first + n, options.probes) - a * term.functions;
  Matrix known = term.tangent;
  known.diagonal() += term.noise[at];
  Matrix between = Matrix::Zero(all.rows(), n);
  if (term.split.slope != 0.0) between = term.split.slope * all.rightCols(n);
  Vector tangent = (size * term.split.value + term.split.slope * own.array()).matrix();
  Vector exact = Vector::Constant(all.rows(), -1.0);  // of samples without random functions
  if (term.leading) {
    const KnownEigenspace& space = term.leading->space();
    const double distance = space.eigenvalue() - system.gram->self_term();
    const double factor = size * (term.split.value + term.split.slope * distance);
    const Vector kept = term.leading->known_factors() * space.eigenvalue();
    const Vector explained = explained_variance(ridge, constant, k);
    for (Index x = 0; x < all.rows(); ++x) {
      const auto squares = leading.col(x).cwiseAbs2();
      if (const double own_kept = squares.dot(kept); own_kept > 0.0) {
        exact[x] = std::max(0.0, size * own_kept - explained[x]);
      }
      tangent[x] -= factor * squares.sum();
      for (Index i = 0; i < n; ++i) {
        const std::int32_t group = space.group(labeled[i]);
        if (group >= 0) between(x, i) -= factor * leading(group, x) * space.weights()[labeled[i]];
      }
    }
  }
  tangent += (a * known - 2.0 * between).cwiseProduct(a).rowwise().sum();
  const Vector result =
      tangent + rest.rowwise().squaredNorm() / static_cast<double>(options.probes);
  return (exact.array() >= 0.0).select(exact, result);
}

Posterior PreparedPosterior::Implementation::estimate(const NewSamples& samples,
                                                      const Context& context) const {
  const auto placed = cross->place(samples);
  const std::optional<Vector> own = placed->diagonal();
  if (!own) return exact_posterior(system, samples, context);  // says that it is not known
  const Matrix all = placed->apply(block);
  Matrix leading;
  if (std::any_of(terms.begin(), terms.end(), [](const auto& term) { return !!term.leading; })) {
    const KnownEigenspace& space = *system.gram->known_eigenspace();
    leading.resize(space.dimension(), samples.count());
    for_batches(samples.count(), kRowsAtOnce, [&](Index first, Index count) {
      const NewSamples part = samples.slice(first, count);
      leading.middleCols(first, count) =
          leading_values(*cross->place(part), space, system.gram->self_term(), context.threads);
    });
  }
  PosteriorMixture mixture(system, samples.count());
  for (const PreparedTerm& term : terms) {
    // The mean of a single fit has no part in the variance.
    const Matrix k = term.single ? Matrix::Zero(all.rows(), system.labels())
                                 : Matrix(all.middleCols(term.first, system.labels()));
    for (std::size_t at = 0; at < term.ridges.size(); ++at) {
      mixture.add(term.ridges[at], term.noise[at], k, variance(term, at, all, *own, leading));
    }
  }
  Posterior result = mixture.result(std::sqrt(2.0 / static_cast<double>(options.probes)));
  if (const auto twins = placed->twins()) {
    std::vector<Index> rows, equal;
    for (Index i = 0; i < samples.count(); ++i) {
      if (twins->count(i) == 0) continue;
      rows.push_back(i);
      equal.push_back(twins->sample[static_cast<std::size_t>(twins->row_start[i])]);
    }
    if (!rows.empty()) {
      const Matrix known = posterior(system, equal, options, context).variance;
      for (std::size_t k = 0; k < rows.size(); ++k) {
        result.variance.row(rows[k]) = known.row(static_cast<Index>(k));
      }
    }
  }
  return result;
}

PreparedPosterior::PreparedPosterior(const FittedSystem& system, const PosteriorOptions& options,
                                     const Context& context)
    : impl_(std::make_unique<Implementation>()) {
  check_system(system, "uncertainty");
  if (options.probes < 2) throw ParameterError("uncertainty: needs at least 2 probes");
  impl_->system = system;
  impl_->options = options;
  impl_->cross = system.gram->cross_kernel();
  const Index n = system.labels();
  const auto width = static_cast<Index>(system.terms.size()) * (n + options.probes) + n;
  impl_->block = Matrix::Zero(system.size(), width);
  Random random(context.seed);
  bool possible = true;
  for_terms(system, context, [&](const TermSystem& term) {
    possible = possible && impl_->add(term, random, context);
  });
  if (!possible) {
    impl_->terms.clear();
    impl_->block.resize(0, 0);
    return;
  }
  const auto& terms = impl_->terms;
  if (terms.front().single) return;
  if (std::all_of(terms.begin(), terms.end(), [](const auto& t) { return t.split.slope == 0.0; })) {
    impl_->block.conservativeResize(Eigen::NoChange, width - n);
    return;
  }
  for (Index i = 0; i < n; ++i) impl_->block(system.targets.labeled[i], width - n + i) = 1.0;
}

PreparedPosterior::~PreparedPosterior() = default;
PreparedPosterior::PreparedPosterior(PreparedPosterior&&) noexcept = default;

Posterior PreparedPosterior::operator()(const NewSamples& samples, const Context& context) const {
  if (impl_->terms.empty()) return exact_posterior(impl_->system, samples, context);
  return impl_->estimate(samples, context);
}

}  // namespace stkr
