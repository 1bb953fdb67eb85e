#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimator/calibration_posterior.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr double kPriorSamples = 4.0;  // of the prior, among labels that no other label reaches

// The prediction without evidence is the most frequent class: labels that no other label reaches
// say how often it is right. It stays the most probable one. Empty if several are the most
// frequent.
std::vector<double> of_unreached(const std::vector<Index>& classes, const Vector& prior) {
  Index most = 0;
  const double largest = prior.maxCoeff(&most);
  double second = 0.0;
  for (Index c = 0; c < prior.size(); ++c) {
    if (c != most) second = std::max(second, prior[c]);
  }
  const double others = 1.0 - largest;
  if (classes.empty() || !(second < largest * (1.0 - 1e-12)) || !(others > 0.0)) return {};
  const auto right = static_cast<double>(std::count(classes.begin(), classes.end(), most));
  const double share =
      (right + kPriorSamples * largest) / (static_cast<double>(classes.size()) + kPriorSamples);
  const double own = std::max(share, second / (others + second));
  std::vector<double> result;
  for (const double p : prior) result.push_back(p * (1.0 - own) / others);
  result[static_cast<std::size_t>(most)] = own;
  return result;
}

std::vector<double> conformity_of(const Calibration& calibration, ConstMatrixRef left_out,
                                  const std::vector<Index>& classes, const Vector& prior) {
  const Matrix p = calibrated(calibration, left_out);
  std::vector<double> result;
  for (Index i = 0; i < p.rows(); ++i) {
    const Index c = classes[static_cast<std::size_t>(i)];
    if (!left_out.row(i).isZero(0.0)) {
      result.push_back(p(i, c));
    } else {
      result.push_back(calibration.unreached.empty()
                           ? prior[c]
                           : calibration.unreached[static_cast<std::size_t>(c)]);
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

std::optional<Calibration> calibrate(ConstMatrixRef left_out, const std::vector<Index>& classes,
                                     const Vector& prior) {
  if (left_out.rows() != static_cast<Index>(classes.size()) || left_out.cols() != prior.size()) {
    throw ShapeError(fmt::format(
        "calibrate: scores are {} x {}, with classes of {} samples and a prior for {} classes",
        left_out.rows(), left_out.cols(), classes.size(), prior.size()));
  }
  if (left_out.rows() < 2) return std::nullopt;
  std::vector<Index> rows, of_rows, not_reached;
  for (Index i = 0; i < left_out.rows(); ++i) {
    const Index c = classes[static_cast<std::size_t>(i)];
    if (left_out.row(i).isZero(0.0)) {
      not_reached.push_back(c);
    } else {
      rows.push_back(i);
      of_rows.push_back(c);
    }
  }
  const Matrix scores = left_out(rows, Eigen::all);
  Calibration result;
  result.size = usual_size(scores);
  if (!(result.size > 0.0) || !std::isfinite(result.size)) return std::nullopt;
  result.prior.assign(prior.begin(), prior.end());
  result.members = calibration_members(scores, of_rows, prior, result.size);
  if (result.members.empty()) return std::nullopt;
  result.unreached = of_unreached(not_reached, prior);
  result.conformity = conformity_of(result, left_out, classes, prior);
  return result;
}

Matrix calibrated(const Calibration& calibration, ConstMatrixRef scores) {
  using Members = std::vector<Calibration::Member>;
  const Members& members = calibration.members;
  double left = 1.0;
  for (const Calibration::Member& member : members) left -= member.weight;
  Matrix p = Matrix::Zero(scores.rows(), scores.cols());
  Eigen::RowVectorXd z, e;
  for (Index i = 0; i < p.rows(); ++i) {
    for (std::size_t k = 0; k < members.size(); ++k) {
      const Calibration::Member& member = members[k];
      if (k == 0 || member.form != members[k - 1].form ||
          member.parameter != members[k - 1].parameter) {
        z = exponents(member.form, member.parameter, calibration.size, scores.row(i));
      }
      e = (member.temperature * z.array()).exp();
      p.row(i) += (member.weight / e.sum()) * e;
    }
    if (calibration.prior.empty()) continue;
    p.row(i) += std::max(left, 0.0) *
                Eigen::Map<const Eigen::RowVectorXd>(calibration.prior.data(), p.cols());
    // Nearly equal scores: the prior may put another class first.
    Index largest = 0, likely = 0;
    scores.row(i).maxCoeff(&largest);
    p.row(i).maxCoeff(&likely);
    if (p(i, likely) > p(i, largest)) {
      p(i, likely) = p(i, largest) = 0.5 * (p(i, likely) + p(i, largest));
    }
  }
  return p;
}

double largest_coverage(const Calibration& calibration) {
  const auto n = static_cast<double>(calibration.conformity.size());
  return n / (n + 1.0);
}

std::vector<std::vector<Index>> prediction_sets(const Calibration& calibration,
                                                ConstMatrixRef probabilities, double coverage) {
  const std::vector<double>& left_out = calibration.conformity;
  const auto n = static_cast<double>(left_out.size());
  if (!(coverage > 0.0) || coverage > largest_coverage(calibration) + 1e-12) {
    throw ParameterError(fmt::format(
        "coverage {:g}; with {} labels left out it can be at most {:.4g}, and must be above 0",
        coverage, left_out.size(), std::floor(1e4 * largest_coverage(calibration)) / 1e4));
  }
  // The least number of labels left out that must conform no better than a class of the set.
  const double least = (1.0 - coverage) * (n + 1.0);
  std::vector<std::vector<Index>> sets(static_cast<std::size_t>(probabilities.rows()));
  for (Index i = 0; i < probabilities.rows(); ++i) {
    for (Index c = 0; c < probabilities.cols(); ++c) {
      const auto below = std::upper_bound(left_out.begin(), left_out.end(), probabilities(i, c)) -
                         left_out.begin();
      if (1.0 + static_cast<double>(below) > least + 1e-9) {
        sets[static_cast<std::size_t>(i)].push_back(c);
      }
    }
  }
  return sets;
}

}  // namespace stkr
