#include "stkr/estimator/decision.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "estimator/class_mass.hpp"
#include "format/utf8.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// The requested class shares; by default those of the labeled samples.
Vector chosen_prior(const ClassDecision& labeled, Index count, const DecisionOptions& options) {
  const Vector present = (labeled.prior.array() > 0.0).cast<double>();
  if (options.uniform_prior) return present / present.sum();
  if (options.prior.empty()) {
    return options.class_mass ? smoothed_prior(labeled.prior, count) : labeled.prior;
  }
  const auto classes = static_cast<Index>(labeled.names.size());
  if (static_cast<Index>(options.prior.size()) != classes) {
    throw ParameterError(fmt::format(
        "prior: {} shares for {} classes; expected one per class of {}", options.prior.size(),
        classes, printable(fmt::format("{}", fmt::join(labeled.names, ", ")))));
  }
  const Vector prior = Eigen::Map<const Vector>(options.prior.data(), classes);
  for (Index c = 0; c < classes; ++c) {
    if (!(prior[c] >= 0.0) || !std::isfinite(prior[c])) {
      throw ParameterError(fmt::format("prior: the share of class '{}' is {}; expected 0 or more",
                                       printable(labeled.names[c]), prior[c]));
    }
    if (prior[c] > 0.0 && present[c] == 0.0) {
      throw ParameterError(fmt::format(
          "prior: class '{}' has no labeled sample, so it is never predicted; give it a share of "
          "0, or label a sample of it",
          printable(labeled.names[c])));
    }
    if (prior[c] == 0.0 && present[c] > 0.0) {
      throw ParameterError(
          fmt::format("prior: the share of class '{}' is 0, but samples are labeled with it; "
                      "expected a positive share",
                      printable(labeled.names[c])));
    }
  }
  return prior / prior.sum();
}

EncodedTargets encode_classes(const ClassLabels& labels, std::vector<Index> labeled,
                              const DecisionOptions& options) {
  const auto classes = static_cast<Index>(labels.names.size());
  EncodedTargets result;
  ClassDecision decision{labels.names, Vector::Zero(classes)};
  decision.boolean = labels.boolean;
  result.y = Matrix::Zero(labeled.size(), classes);
  for (std::size_t k = 0; k < labeled.size(); ++k) {
    const std::int32_t code = labels.code[labeled[k]];
    result.y(k, code) = 1.0;
    decision.prior[code] += 1.0;
    decision.labeled.push_back(labeled[k]);
    decision.classes.push_back(code);
  }
  decision.prior /= static_cast<double>(labeled.size());
  if ((decision.prior.array() > 0.0).count() < 2) {
    Index only = 0;
    decision.prior.maxCoeff(&only);
    throw ValueError(fmt::format(
        "all {} labeled samples are of class '{}'; expected at least two classes (classes known: "
        "{})",
        labeled.size(), printable(labels.names[only]),
        printable(fmt::format("{}", fmt::join(labels.names, ", ")))));
  }
  decision.prior = chosen_prior(decision, result.y.rows(), options);
  result.labeled = std::move(labeled);
  result.decision = std::move(decision);
  return result;
}

EncodedTargets encode_values(const TargetValues& targets, std::vector<Index> labeled,
                             bool intercept) {
  EncodedTargets result;
  result.y.resize(labeled.size(), targets.values.cols());
  for (std::size_t k = 0; k < labeled.size(); ++k) result.y.row(k) = targets.values.row(labeled[k]);
  Vector mean = Vector::Zero(targets.values.cols());
  if (intercept) {
    mean = result.y.colwise().mean().transpose();
    result.y.rowwise() -= mean.transpose();
  }
  result.constant = intercept;
  result.decision = TargetDecision{targets.names, std::move(mean), labeled};
  result.labeled = std::move(labeled);
  return result;
}

}  // namespace

EncodedTargets encode_targets(const Labels& labels, const DecisionOptions& options) {
  std::vector<Index> labeled = labeled_indices(labels);
  if (labeled.empty()) {
    throw ValueError(
        "no labeled sample: label at least a few samples (class -1, an empty cell or "
        "NaN means unlabeled)");
  }
  if (const auto* classes = std::get_if<ClassLabels>(&labels)) {
    return encode_classes(*classes, std::move(labeled), options);
  }
  if (options.class_mass || options.uniform_prior || !options.prior.empty()) {
    throw ParameterError(
        "class-mass normalization and a prior need classes, but the labels are regression targets");
  }
  return encode_values(std::get<TargetValues>(labels), std::move(labeled), options.intercept);
}

namespace {

// The labels of all processes, in the order of their samples, without the unlabeled ones.
Labels labels_only(const Labels& labels, const std::vector<Index>& local, const SharedRows& rows) {
  if (const auto* classes = std::get_if<ClassLabels>(&labels)) {
    std::vector<Index> codes;
    for (const Index i : local) codes.push_back(classes->code[i]);
    codes = rows.joined(codes);
    ClassLabels all = *classes;
    all.code.assign(codes.begin(), codes.end());
    return all;
  }
  const auto& targets = std::get<TargetValues>(labels);
  std::vector<Index> samples;
  for (const Index i : local) samples.push_back(i + rows.first());
  return TargetValues{targets.names, gather_samples(&rows, targets.values, rows.joined(samples))};
}

}  // namespace

EncodedTargets encode_targets(const Labels& labels, const DecisionOptions& options,
                              const SharedRows* rows) {
  if (!rows) return encode_targets(labels, options);
  const std::vector<Index> local = labeled_indices(labels);
  std::vector<Index> samples;
  for (const Index i : local) samples.push_back(i + rows->first());
  samples = rows->joined(samples);
  EncodedTargets result = encode_targets(labels_only(labels, local, *rows), options);
  std::visit([&](auto& decision) { decision.labeled = samples; }, result.decision);
  result.labeled = std::move(samples);
  return result;
}

Decision with_class_mass(Decision decision, Matrix f, const std::vector<char>& evidence,
                         const SharedRows* rows) {
  for (Index i = 0; i < f.rows(); ++i) {
    if (!evidence[i]) f.row(i).setZero();
  }
  auto& classes = std::get<ClassDecision>(decision);
  classes.factors = class_mass_factors(f, classes.prior, 0.0, rows);
  return decision;
}

Decision with_constant(Decision decision, const Vector& constant) {
  if (constant.size() > 0) std::get<TargetDecision>(decision).mean += constant;
  return decision;
}

namespace {

// Predictions for rows without evidence: the most frequent class, or the nearest labeled sample's.
void answer_without_evidence(const ClassDecision& decision, const NearestLabeled& nearest,
                             Predictions& result) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < result.evidence.size(); ++i) {
    if (!result.evidence[i]) rows.push_back(static_cast<Index>(i));
  }
  if (rows.empty()) return;
  constexpr double kRounding = 1e-12;
  Index first = 0;
  const double most = decision.prior.maxCoeff(&first);
  const bool tie = (decision.prior.array() >= most * (1.0 - kRounding)).count() > 1;
  std::optional<std::vector<Index>> near;
  if (tie && nearest && !decision.labeled.empty()) near = nearest(rows);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    result.class_index[rows[k]] = first;
    result.tied[rows[k]] = tie && !near;
    if (!near) continue;
    const auto found = std::find(decision.labeled.begin(), decision.labeled.end(), (*near)[k]);
    result.class_index[rows[k]] = decision.classes[found - decision.labeled.begin()];
  }
}

}  // namespace

Predictions decide(const Decision& decision, Matrix f, std::vector<char> evidence,
                   const NearestLabeled& nearest) {
  Predictions result;
  result.evidence = std::move(evidence);
  for (Index i = 0; i < f.rows(); ++i) {
    if (!result.evidence[i]) f.row(i).setZero();
  }
  if (const auto* classes = std::get_if<ClassDecision>(&decision)) {
    // Negative scores are not scaled: if none is positive, the order does not change.
    for (Index c = 0; c < classes->factors.size(); ++c) {
      f.col(c) = (f.col(c).array() > 0.0).select(classes->factors[c] * f.col(c), f.col(c));
    }
    result.class_index.assign(f.rows(), 0);
    result.tied.assign(f.rows(), 0);
    for (Index i = 0; i < f.rows(); ++i) {
      if (result.evidence[i]) f.row(i).maxCoeff(&result.class_index[i]);
    }
    answer_without_evidence(*classes, nearest, result);
  } else {
    f.rowwise() += std::get<TargetDecision>(decision).mean.transpose();
  }
  result.scores = std::move(f);
  return result;
}

}  // namespace stkr
