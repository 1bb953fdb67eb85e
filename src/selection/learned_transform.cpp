#include "selection/learned_transform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "estimator/gram_spectrum.hpp"
#include "estimator/ridge_unit.hpp"
#include "estimator/variance_components.hpp"
#include "runtime/random.hpp"
#include "selection/dictionary_blocks.hpp"
#include "specification/method_names.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// Six digits: more would not change predictions, and the text of s stays readable and exact.
double six_digits(double value) { return std::stod(fmt::format("{:.6g}", value)); }

// The default of a fit: what is plausible before labels are seen.
constexpr double kPriorEta = 0.99;  // times 1/λ₁
constexpr double kPriorRidge = kDefaultRidge;

// The smallest eigenvalue of S if it is negative beyond rounding, else 0.
double negative_end(const GramOperator& gram, const Context& context) {
  if (known_spectrum(gram).bounds.lower >= 0.0) return 0.0;
  const GramSpectrum spectrum = estimated_spectrum(gram, context);
  return spectrum.smallest < -1e-10 * spectrum.largest ? spectrum.smallest : 0.0;
}

bool nonnegative_below_zero(const SpectralTransform& s, double lower) {
  for (int k = 1; k <= 1000; ++k) {
    if (!(s(lower * k / 1000.0) >= -1e-12)) return false;
  }
  return true;
}

// The members of a dictionary with s ≥ 0 on the spectrum.
std::vector<SpectralTransform> usable(std::vector<SpectralTransform> dictionary, double lower,
                                      std::vector<std::string>& warnings) {
  if (lower == 0.0) return dictionary;
  std::vector<SpectralTransform> kept;
  std::string left_out;
  for (SpectralTransform& s : dictionary) {
    if (nonnegative_below_zero(s, lower)) {
      kept.push_back(std::move(s));
    } else {
      left_out += (left_out.empty() ? "" : ", ") + s.describe();
    }
  }
  if (kept.empty()) {
    throw ValueError(fmt::format(
        "learned transform: the spectrum reaches {:.4g}, and every transform of the dictionary is "
        "negative there; use kernel lazy-walk, or add an even power",
        lower));
  }
  if (!left_out.empty()) {
    warnings.push_back(fmt::format(
        "learned transform: without {}, which are negative on the spectrum down to {:.4g}; kernel "
        "lazy-walk avoids that",
        left_out, lower));
  }
  return kept;
}

// The rows from which s is learned.
struct Sample {
  std::vector<Index> labeled;
  Matrix y;
};
Sample sample_of(const EncodedTargets& targets, Index most, std::uint64_t seed) {
  const auto n = static_cast<Index>(targets.labeled.size());
  if (n <= most) return {targets.labeled, targets.y};
  Sample sample{{}, Matrix(most, targets.y.cols())};
  for (const Index k : Random(seed).sample(n, most)) {
    sample.y.row(static_cast<Index>(sample.labeled.size())) = targets.y.row(k);
    sample.labeled.push_back(targets.labeled[k]);
  }
  return sample;
}

// The components of some transforms, in their order.
struct TermBlocks {
  std::vector<SpectralTransform> transforms;
  std::vector<Matrix> blocks;
};

TermBlocks only(const TermBlocks& all, const std::vector<std::size_t>& kept) {
  TermBlocks result;
  for (const std::size_t k : kept) {
    result.transforms.push_back(all.transforms[k]);
    result.blocks.push_back(all.blocks[k]);
  }
  return result;
}

// Terms with less than `least` of the variance, or all but the largest if that is all noise.
std::vector<std::size_t> kept_terms(const Vector& shares, double least) {
  std::vector<std::size_t> kept;
  for (Index k = 0; k < shares.size(); ++k) {
    if (shares[k] >= least) kept.push_back(static_cast<std::size_t>(k));
  }
  if (kept.empty()) {
    Index largest = 0;
    shares.maxCoeff(&largest);
    kept.push_back(static_cast<std::size_t>(largest));
  }
  return kept;
}

}  // namespace

std::vector<SpectralTransform> default_dictionary(double largest_eigenvalue) {
  std::vector<SpectralTransform> all;
  for (const double p : {1.0, 2.0, 4.0, 8.0}) all.push_back(SpectralTransform::power(p));
  for (const double eta : {0.5, 0.9, 0.99, 0.999}) {
    all.push_back(SpectralTransform::inverse_laplacian(six_digits(eta / largest_eigenvalue)));
  }
  for (const auto& [c, p] : {std::pair{0.5, 4}, std::pair{0.75, 8}, std::pair{0.9, 16}}) {
    all.push_back(SpectralTransform::smooth_step(six_digits(c * largest_eigenvalue), p));
  }
  return all;
}

namespace {

// The components that could be computed, and the covariance that is plausible without labels.
struct LearningProblem {
  TermBlocks components;
  Sample sample;
  std::optional<Matrix> prior;
  std::size_t prior_place =
      static_cast<std::size_t>(-1);  // of the prior's transform among the components; -1: none
};

LearningProblem learning_problem(const GramOperator& gram, const EncodedTargets& targets,
                                 const LearnOptions& options, const Context& context,
                                 LearnedTransform& result) {
  const double largest = result.largest_eigenvalue;
  LearningProblem problem;
  problem.sample = sample_of(targets, options.most_labels, context.seed);
  const double lower = negative_end(gram, context);
  std::vector<SpectralTransform> dictionary =
      usable(options.dictionary.empty() ? default_dictionary(largest) : options.dictionary, lower,
             result.warnings);
  const std::size_t count = dictionary.size();
  // The prior's kernel is the last one. It exists on a spectrum without negative eigenvalues only.
  const auto prior = SpectralTransform::inverse_laplacian(six_digits(kPriorEta / largest));
  const bool has_prior = options.prior_labels > 0.0 && lower == 0.0;
  if (has_prior) dictionary.push_back(prior);
  DictionaryBlocks found = dictionary_blocks(
      gram, problem.sample.labeled, dictionary,
      {.tolerance = options.tolerance, .block_bytes = options.block_bytes}, context);
  result.products = found.products;
  result.warnings.insert(result.warnings.end(), found.warnings.begin(), found.warnings.end());
  if (has_prior && found.blocks[count].size() > 0) {
    Matrix& g = problem.prior.emplace(std::move(found.blocks[count]));
    g.diagonal().array() += kPriorRidge * ridge_unit(g);
  }
  for (std::size_t k = 0; k < count; ++k) {
    if (found.blocks[k].size() == 0) continue;
    if (dictionary[k].describe() == prior.describe()) {
      problem.prior_place = problem.components.blocks.size();
    }
    problem.components.transforms.push_back(dictionary[k]);
    problem.components.blocks.push_back(std::move(found.blocks[k]));
  }
  return problem;
}

}  // namespace

LearnedTransform learn_transform(const GramOperator& gram, const EncodedTargets& targets,
                                 const LearnOptions& options, const Context& context) {
  LearnedTransform result;
  result.largest_eigenvalue = largest_eigenvalue(gram, context);
  LearningProblem problem = learning_problem(gram, targets, options, context, result);
  TermBlocks& all = problem.components;
  const Sample& sample = problem.sample;

  VarianceOptions variances;
  variances.max_iterations = options.max_iterations;
  variances.tolerance = 1e-4;
  const bool classes = std::holds_alternative<ClassDecision>(targets.decision);
  // Only classes with a label have an output, and their one-hot columns add up to 1.
  const Index outputs = (sample.y.colwise().squaredNorm().array() > 0.0).count();
  variances.outputs = classes ? std::max<Index>(outputs - 1, 1) : 0;
  variances.start = Vector::Ones(static_cast<Index>(all.blocks.size()));
  if (problem.prior) {
    variances.prior = &*problem.prior;
    variances.prior_outputs = options.prior_labels / static_cast<double>(sample.y.rows());
    if (problem.prior_place < all.blocks.size()) {
      variances.start[static_cast<Index>(problem.prior_place)] +=
          2.0 * static_cast<double>(all.blocks.size());
    }
  }
  VarianceComponents learned = learn_variances(all.blocks, sample.y, variances, context);
  result.iterations = learned.iterations;
  const std::vector<std::size_t> kept = kept_terms(learned.shares, options.drop_below);
  if (kept.size() < all.blocks.size()) {
    all = only(all, kept);
    variances.start = learned.shares(kept).cwiseMax(1e-12);
    variances.start_noise = learned.noise_share;
    learned = learn_variances(all.blocks, sample.y, variances, context);
    result.iterations += learned.iterations;
  }
  result.converged = learned.converged;
  result.log_evidence = learned.log_evidence;

  const double total = learned.weights.sum();
  std::vector<TransformTerm> terms;
  Matrix g = Matrix::Zero(sample.y.rows(), sample.y.rows());
  for (std::size_t k = 0; k < all.blocks.size(); ++k) {
    const double weight = six_digits(learned.weights[static_cast<Index>(k)] / total);
    if (!(weight > 0.0)) continue;
    terms.push_back({weight, all.transforms[k]});
    result.shares.push_back(learned.shares[static_cast<Index>(k)]);
    g += weight * all.blocks[k];
  }
  result.transform = SpectralTransform::sum(std::move(terms));
  // All noise: f tends to 0, but predictions of classes do not depend on its scale.
  constexpr double kMostRidge = 1e3;
  result.ridge = six_digits(std::clamp(learned.noise / total / ridge_unit(g), 1e-8, kMostRidge));
  result.slope = result.transform.validate({0.0, result.largest_eigenvalue}).slope;
  return result;
}

LearnedTransform learn_transform(const GramOperator& gram, const Labels& labels,
                                 const LearnOptions& options, const Context& context) {
  return learn_transform(gram, encode_targets(labels), options, context);
}

Specification with_learned_transform(Specification spec, const LearnedTransform& learned) {
  auto* stkr = std::get_if<StkrSpec>(&spec.method);
  if (!stkr) {
    throw ValueError(fmt::format("a learned transform is for method stkr; found method {}",
                                 name_of(spec.method)));
  }
  stkr->transform = learned.transform;
  stkr->learned = false;
  if (std::holds_alternative<std::monostate>(stkr->ridge)) {
    stkr->ridge = RelativeRidge{learned.ridge};
  }
  return spec;
}

}  // namespace stkr
