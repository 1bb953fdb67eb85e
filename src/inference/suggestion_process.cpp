#include "inference/suggestion_process.hpp"

#include <algorithm>
#include <cmath>

#include "estimator/gram_spectrum.hpp"
#include "inference/posterior_paths.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

constexpr double kEta = 0.999;   // in units of 1/λ₁
constexpr double kNoise = 0.01;  // of a label, as a share of the prior variance
// A prior variance below this share of the labels' is rounding, or of an indefinite kernel.
constexpr double kLeastPrior = 1e-8;

// The system with the one transform and ridge that has the largest weight.
FittedSystem heaviest(const FittedSystem& system) {
  const AverageTerm* best = nullptr;
  std::size_t at = 0;
  for (const AverageTerm& term : system.terms) {
    for (std::size_t k = 0; k < term.parts.size(); ++k) {
      if (best && best->parts[at].weight >= term.parts[k].weight) continue;
      best = &term;
      at = k;
    }
  }
  FittedSystem result = system;
  result.terms = {{best->transform, {{best->parts[at].ridge, 1.0}}}};
  return result;
}

FittedSystem near_the_pole(const FittedSystem& system, const Context& context) {
  FittedSystem result = system;
  const double eta = kEta / largest_eigenvalue(*system.gram, context);
  result.terms = {{SpectralTransform::inverse_laplacian(eta), {{kNoise, 1.0}}}};
  result.targets.constant = false;
  return result;
}

}  // namespace

SuggestionProcess::SuggestionProcess(const FittedSystem& system, bool relative,
                                     const Context& context)
    : near_pole_(relative && system.gram->sparse()),
      system_(near_pole_ ? near_the_pole(system, context) : heaviest(system)),
      term_(std::make_unique<TermSystem>(system_, system_.terms.front(), 1.0, context)),
      random_(context.seed) {
  const TermRidge& ridge = term_->ridges().front();
  label_noise_ = label_noise(*term_, ridge, system_.labels());
  solution_ = ridge.solution;
  if (!near_pole_) return;
  for (Index i = 0; i < label_noise_.size(); ++i) {
    label_noise_[i] = noise_of(term_->labeled()(i, i));
  }
  solution_ =
      linear_solution(term_->labeled(), 1.0, {.label_weights = label_noise_.cwiseInverse()});
}

double SuggestionProcess::noise_of(double prior_variance) const {
  if (!near_pole_) return label_noise_.mean();
  return kNoise * std::max(prior_variance, kLeastPrior * std::abs(labeled_prior()));
}

void SuggestionProcess::prepare(const std::vector<Index>& samples) {
  std::vector<Index> missing;
  for (const Index x : samples) {
    if (!columns_.contains(x)) missing.push_back(x);
  }
  if (missing.empty()) return;
  Matrix block = term_->columns(missing);
  Vector prior(block.cols());
  for (Index j = 0; j < prior.size(); ++j)
    prior[j] = block(missing[static_cast<std::size_t>(j)], j);
  const Matrix k = gather_rows(term_->known(), missing);
  const Matrix& inverse = solution_.inverse;
  block -= term_->known() * (inverse * k.transpose());
  if (system_.targets.constant) {
    const Vector ones = inverse.rowwise().sum();
    const Vector all = Vector::Ones(system_.size()) - term_->known() * ones;
    block += all * gather_rows(all, missing).transpose() / ones.sum();
  }
  for (Index j = 0; j < prior.size(); ++j) {
    const Index x = missing[static_cast<std::size_t>(j)];
    Vector column = block.col(j);
    for (const Taken& taken : taken_) column -= taken.column * (taken.column[x] / taken.divisor);
    columns_.emplace(x, Column{std::move(column), prior[j]});
  }
}

void SuggestionProcess::draw(Index count, const Context& context) {
  paths_ = prior_paths(*term_, system_, count, random_, context);
  estimated_prior_ = paths_.rowwise().squaredNorm() / static_cast<double>(count);
  paths_ = posterior_paths(*term_, solution_, label_noise_, system_, std::move(paths_), random_);
}

double SuggestionProcess::variance(Index x) const { return std::max(column(x)[x], 0.0); }

void SuggestionProcess::take(Index x) {
  Taken taken{column(x), variance(x) + noise(x)};
  for (auto& [sample, column] : columns_) {
    column.values -= taken.column * (taken.column[sample] / taken.divisor);
  }
  if (paths_.size() > 0) {
    Eigen::RowVectorXd observed = paths_.row(x);
    const double deviation = std::sqrt(noise(x));
    for (Index j = 0; j < observed.size(); ++j) observed[j] += deviation * random_.normal();
    paths_ -= taken.column * observed / taken.divisor;
  }
  taken_.push_back(std::move(taken));
}

}  // namespace stkr
