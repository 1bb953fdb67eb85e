#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "stkr/inference/fitted_system.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

struct PosteriorOptions {
  // More samples than this in problems larger than `exact_size` get an estimate.
  Index exact_samples = 256;
  Index exact_size = 3000;
  Index probes = 128;  // of the estimate, whose relative standard error is √(2/probes)
};

struct Posterior {
  Matrix variance;  // of f, one row per sample and one column per output, in squared units of Y
  Vector noise;     // variance of a label around f, per output, likewise
  double relative_error = 0.0;  // standard error of the variances; 0 if they are exact
};

// The variance of f under the Gaussian process whose mean is the fit: covariance a·K̂_s, labels with
// noise of variance a·nβ/v, and a free constant if the fit has one:
//   Var f(x)/a = K̂_s(x,x) - k_s(x)ᵀA⁻¹k_s(x) + (1 - k_s(x)ᵀA⁻¹1)²/1ᵀA⁻¹1,
// the last term with a constant only. The labels determine a for each output by maximum likelihood,
// a = yᵀPy/n. Of an average, the variance of the mixture: the mean of the variances plus the
// variance of the means. A sample that no label reaches has its prior variance.
Posterior posterior(const FittedSystem& system, std::span<const Index> samples,
                    const PosteriorOptions& options = {}, const Context& context = {});
// The same for new samples; an estimate is that of PreparedPosterior. Throws ValueError if K(x, x)
// of a new sample is not known, as for a kernel given by its values.
Posterior posterior(const FittedSystem& system, const NewSamples& samples,
                    const PosteriorOptions& options = {}, const Context& context = {});

// Estimates for many new samples, here or in later calls: N × (labels + probes) numbers for each
// transform are computed once, and variances then cost one product of kernel rows with them. The
// variance is that of f - f̂: a part with random functions (relative standard error √(2/probes))
// and a part with known values, which makes up most of it near labels. A sample equal to known ones
// has the variance of the first of them. Transforms that are not convex have no such functions;
// variances are then exact, as above.
class PreparedPosterior {
 public:
  explicit PreparedPosterior(const FittedSystem& system, const PosteriorOptions& options = {},
                             const Context& context = {});
  ~PreparedPosterior();
  PreparedPosterior(PreparedPosterior&&) noexcept;

  Posterior operator()(const NewSamples& samples, const Context& context = {}) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> impl_;
};

// Lower and upper ends of intervals for targets, one row per sample.
struct Intervals {
  Matrix lower;
  Matrix upper;
};

// The largest coverage that intervals from n labels can promise: n/(n + 1) for each end together.
double largest_interval_coverage(Index labels);

// Jackknife+ intervals (Barber, Candès, Ramdas and Tibshirani 2021) for the targets of known
// samples, from leave-one-out in closed form: quantiles of f_{-i}(x) ± |R_i| over the labels i,
// where f_{-i} is the fit without label i and R_i what it misses there. If labeled and other
// samples are drawn alike, they contain the target with probability at least 2·coverage - 1, and
// usually about `coverage`. Throws ValueError for classes, and ParameterError for a coverage that
// so few labels cannot give.
Intervals jackknife_intervals(const FittedSystem& system, std::span<const Index> samples,
                              double coverage, const Context& context = {});
// The same for new samples.
Intervals jackknife_intervals(const FittedSystem& system, const NewSamples& samples,
                              double coverage, const Context& context = {});

// The simpler f(x) ± quantile of |R_i| from the residuals alone (the jackknife), for a model
// without its system.
Intervals residual_intervals(ConstMatrixRef predictions, ConstMatrixRef residuals, double coverage);

// Why a sample has its scores.
struct Contributions {
  // α_i K̂_s(x, x_i) for every label: n × C. With `constant`, they add up to f(x).
  Matrix by_label;
  Vector constant;  // the free constant and the mean of the targets; zero for classes
  Vector score;     // f(x)
  // K(x, x_j) c_j for every known sample through which labels act, the largest first: on graphs the
  // neighbors. Empty for a labeled sample of a kernel with a self term.
  std::vector<Index> through;
  Matrix by_sample;  // as many rows as `through`
  // Within this distance d_{K_s} of x (Proposition 1, prop:extend-lip), the best class stays ahead
  // of the second: (f_a - f_b)(x)/‖f_a - f_b‖_{K_s}. For classes fitted with one transform and
  // ridge.
  std::optional<double> radius{};
};

// For one known sample, or one new one. `through`: at most so many samples.
Contributions contributions(const FittedSystem& system, Index sample, Index through = 10,
                            const Context& context = {});
Contributions contributions(const FittedSystem& system, const NewSamples& sample,
                            Index through = 10, const Context& context = {});

// The path along which label i acts on x most strongly at every step, from x to x_i: known samples,
// x first. On sparse kernels; empty if the label does not reach x within `most` steps.
std::vector<Index> strongest_path(const FittedSystem& system, Index sample, Index label_position,
                                  Index most = 30, const Context& context = {});

// What a new label should reduce most.
enum class SuggestionCriterion {
  error,     // the expected number of wrong classes; of numbers, the same as `variance`
  variance,  // the sum of the variances of f over all samples (V-optimality)
  survey,    // the variance of the sum of f over all samples (Σ-optimality)
};

struct SuggestOptions {
  Index count = 10;
  SuggestionCriterion criterion = SuggestionCriterion::error;
  // Prefer samples whose predicted class has few labels and suggestions so far.
  bool balance = true;
  Index exact_size = 3000;  // samples up to which every candidate's column is computed
  Index shortlist = 32;     // else so many candidates per suggestion, found by an estimate
  Index probes = 64;        // of that estimate
};

// What is predicted so far, for every sample. Either may be empty: not known.
struct PresentPredictions {
  std::vector<Index> classes;  // the predicted class, for `balance`
  Vector doubt;                // probability that it is wrong, for the criterion `error`
};

// The same from predictions for the fitted samples; `doubt` is empty unless the decision is
// calibrated.
PresentPredictions present_predictions(const Decision& decision, const Predictions& fitted);

struct Suggestion {
  Index sample = 0;
  double reduction = 0.0;  // of the criterion, as a share of what it was before any suggestion
  double variance = 0.0;   // of f at the sample, given the labels and the suggestions before it
  Index predicted = -1;    // its predicted class; -1 for numbers
};

// Which samples to label next, the best first: each reduces the criterion most given all labels and
// the suggestions before it, whatever their labels turn out to be,
//   argmax_x Σ_j w_j C_jx²/(C_xx + σ_x²) or (1ᵀC_x)²/(C_xx + σ²), C = K̂_s - K̂_s,n A⁻¹ K̂_s,nᵀ.
// `variance` and `survey` have w = 1 and the transform and ridge of the largest weight.
//
// `error` counts variances relative to those without any label, w_j = doubt_j/K̂_s(x_j, x_j): on a
// graph, K̂_s(x, x) grows with the degree and with the isolation of a sample, neither of which says
// how often its class is wrong. Doubt turns variance into errors. Of sparse grams, which are
// graphs, s is the inverse Laplacian with η = 0.999/λ₁, whose leading eigenvectors make a component
// without labels as uncertain as can be, so that it is worth a label in proportion to its size; the
// noise is 1 % of K̂_s(x, x). Other grams have the transform and ridge of the largest weight.
//
// Columns C_x are exact; if samples are many, random functions with covariance C decide which
// candidates get one, and estimate K̂_s(x_j, x_j) in w. Deterministic by context.seed.
std::vector<Suggestion> suggest(const FittedSystem& system,
                                const PresentPredictions& predictions = {},
                                const SuggestOptions& options = {}, const Context& context = {});

}  // namespace stkr
