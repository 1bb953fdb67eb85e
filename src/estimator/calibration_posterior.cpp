// Which forms and temperatures: chosen on Digits, Cora and g50c, 30 splits with hidden labels in
// view, and checked on other sets (docs/certainty.md).

#include "estimator/calibration_posterior.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stkr {
namespace {

using Form = Calibration::Form;

// Of samples whose class is anything: keeps a few separated labels from giving certainty.
constexpr double kUnknownSamples = 0.25;
constexpr double kLeastShare = 1e-6;
constexpr double kOrderOfNegative = 0.01;  // z of the logarithm falls by so much below a score of 0
constexpr double kLeastWeight = 0.01;      // forms with less are left out
constexpr std::array kPowers{0.0, 0.25, 0.5, 0.75, 1.0};
constexpr double kLeastLogarithm = -5.0, kLargestLogarithm = 2.0;  // log a, in steps of 1

// Weights of the prior in probabilities, and their own prior probabilities.
constexpr std::array kPriorWeights{0.0, 0.02, 0.05};
constexpr std::array kPriorOfWeights{0.9, 0.05, 0.05};

// log τ in units of 1/(root mean square of z). The posterior is interpolated between the steps.
constexpr double kCoolest = -2.5, kStep = 0.25;
constexpr int kSteps = 25, kFiner = 8;

Matrix all_exponents(Form form, double parameter, double size, ConstMatrixRef scores) {
  Matrix z(scores.rows(), scores.cols());
  for (Index i = 0; i < z.rows(); ++i) {
    z.row(i) = exponents(form, parameter, size, scores.row(i));
  }
  return z;
}

// The log posterior of a form, up to a constant: for each weight of the prior, over log τ.
using Posterior = std::array<std::array<double, kSteps>, kPriorWeights.size()>;

struct FormPosterior {
  Form form = Form::power;
  double parameter = 0.0;
  double scale = 1.0;  // root mean square of z
  Posterior log{};
};

Posterior posterior_of(const Matrix& z, const std::vector<Index>& classes, const Vector& prior,
                       double scale) {
  Posterior result{};
  const Vector mean = z.rowwise().mean();
  const auto n = static_cast<double>(z.rows());
  for (int k = 0; k < kSteps; ++k) {
    const double temperature = std::exp(kCoolest + k * kStep) / scale;
    const Vector sum = (temperature * z.array()).exp().matrix().rowwise().sum();
    const double unknown = temperature * mean.sum() - sum.array().log().sum();
    for (std::size_t w = 0; w < kPriorWeights.size(); ++w) {
      double& value = result[w][static_cast<std::size_t>(k)];
      value = std::log(kPriorOfWeights[w]) + kUnknownSamples * unknown / n;
      for (Index i = 0; i < z.rows(); ++i) {
        const Index c = classes[static_cast<std::size_t>(i)];
        // Without the prior, in logarithms: p may be less than the smallest number.
        value +=
            kPriorWeights[w] == 0.0
                ? temperature * z(i, c) - std::log(sum[i])
                : std::log((1.0 - kPriorWeights[w]) * std::exp(temperature * z(i, c)) / sum[i] +
                           kPriorWeights[w] * prior[c]);
      }
    }
  }
  return result;
}

// By a cubic through four steps: the log posterior is smooth in log τ, for any number of labels.
double between_steps(const std::array<double, kSteps>& at, int fine) {
  const int first = std::clamp(fine / kFiner - 1, 0, kSteps - 4);
  const double x = static_cast<double>(fine) / kFiner - first;
  double value = 0.0;
  for (int i = 0; i < 4; ++i) {
    double basis = 1.0;
    for (int j = 0; j < 4; ++j) {
      if (j != i) basis *= (x - j) / (i - j);
    }
    value += basis * at[static_cast<std::size_t>(first + i)];
  }
  return value;
}

// What the posterior of a form becomes: its share, that of the prior in it, and three temperatures
// that have the mean and the variance of log τ (Gauss-Hermite).
struct FormShare {
  double all = 0.0;
  double prior = 0.0;
  double mean = 0.0;
  double deviation = 0.0;
};

FormShare share_of(const FormPosterior& form, double largest) {
  FormShare share;
  double first = 0.0, second = 0.0;
  for (std::size_t w = 0; w < kPriorWeights.size(); ++w) {
    for (int k = 0; k <= (kSteps - 1) * kFiner; ++k) {
      const double mass = std::exp(between_steps(form.log[w], k) - largest);
      const double own = mass * (1.0 - kPriorWeights[w]);
      const double log_temperature = kCoolest + k * kStep / kFiner;
      share.all += mass;
      share.prior += mass - own;
      first += own * log_temperature;
      second += own * log_temperature * log_temperature;
    }
  }
  const double own = share.all - share.prior;
  if (own > 0.0) {
    share.mean = first / own;
    share.deviation = std::sqrt(std::max(0.0, second / own - share.mean * share.mean));
  }
  return share;
}

void add_members(const FormPosterior& form, const FormShare& share, double total,
                 std::vector<Calibration::Member>& members) {
  const double own = (share.all - share.prior) / total;
  for (const auto& [at, weight] :
       {std::pair(-std::sqrt(3.0), 1.0 / 6.0), {0.0, 2.0 / 3.0}, {std::sqrt(3.0), 1.0 / 6.0}}) {
    members.push_back({form.form, form.parameter,
                       std::exp(share.mean + at * share.deviation) / form.scale, own * weight});
  }
}

std::vector<FormPosterior> posteriors(const Matrix& scores, const std::vector<Index>& classes,
                                      const Vector& prior, double size) {
  std::vector<FormPosterior> forms;
  const auto add = [&](Form form, double parameter, double log_prior) {
    const Matrix z = all_exponents(form, parameter, size, scores);
    const double scale = std::sqrt(z.squaredNorm() / static_cast<double>(z.size()));
    if (!(scale > 0.0) || !std::isfinite(scale)) return;
    FormPosterior one{form, parameter, scale, posterior_of(z, classes, prior, scale)};
    for (auto& of_weight : one.log) {
      for (double& value : of_weight) value += log_prior;
    }
    forms.push_back(one);
  };
  for (const double a : kPowers) add(Form::power, a, -std::log(kPowers.size()));
  const double logarithms = kLargestLogarithm - kLeastLogarithm + 1.0;
  for (double a = kLeastLogarithm; a <= kLargestLogarithm; a += 1.0) {
    add(Form::logarithm, std::exp(a), -std::log(logarithms));
  }
  return forms;
}

}  // namespace

Eigen::RowVectorXd exponents(Form form, double parameter, double size,
                             const Eigen::RowVectorXd& scores) {
  Eigen::RowVectorXd z = scores;
  if (form == Form::power) {
    z.array() -= scores.mean();
    const double length = z.norm();
    if (length > 0.0) z *= std::pow(length / size, parameter) / length;
  } else if (form == Form::logarithm) {
    const double unit = parameter * size;
    for (Index c = 0; c < z.size(); ++c) {
      z[c] = scores[c] >= 0.0 ? std::log1p(scores[c] / unit)
                              : -kOrderOfNegative * std::log1p(-scores[c] / unit);
    }
  } else if (const double total = scores.cwiseMax(0.0).sum(); total > 0.0) {
    z = (scores.cwiseMax(0.0) / total).cwiseMax(kLeastShare).array().log();
    // Classes without a share are still ordered by their scores.
    for (Index c = 0; c < z.size(); ++c) {
      if (scores[c] < 0.0) z[c] += scores[c] / (total - scores[c]);
    }
  } else if (const double largest = scores.cwiseAbs().maxCoeff(); largest > 0.0) {
    z /= largest;
  }
  return z.array() - z.maxCoeff();
}

double usual_size(const Matrix& scores) {
  double sum = 0.0;
  Index count = 0;
  for (Index i = 0; i < scores.rows(); ++i) {
    const double length = (scores.row(i).array() - scores.row(i).mean()).matrix().norm();
    if (!(length > 0.0)) continue;
    sum += std::log(length);
    ++count;
  }
  return count > 0 ? std::exp(sum / static_cast<double>(count)) : 0.0;
}

std::vector<Calibration::Member> calibration_members(const Matrix& scores,
                                                     const std::vector<Index>& classes,
                                                     const Vector& prior, double size) {
  const std::vector<FormPosterior> forms = posteriors(scores, classes, prior, size);
  double largest = -std::numeric_limits<double>::infinity();
  for (const FormPosterior& form : forms) {
    for (const auto& values : form.log) {
      largest = std::max(largest, *std::max_element(values.begin(), values.end()));
    }
  }
  std::vector<Calibration::Member> members;
  std::vector<FormShare> shares;
  double total = 0.0, kept = 0.0;
  for (const FormPosterior& form : forms) {
    shares.push_back(share_of(form, largest));
    total += shares.back().all;
  }
  for (const FormShare& share : shares) kept += share.all < kLeastWeight * total ? 0.0 : share.all;
  if (!(kept > 0.0) || !std::isfinite(kept)) return {};
  for (std::size_t k = 0; k < forms.size(); ++k) {
    if (shares[k].all < kLeastWeight * total) continue;
    add_members(forms[k], shares[k], kept, members);
  }
  return members;
}

}  // namespace stkr
