#include "stkr/estimator/decision.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stkr/error.hpp"

namespace stkr {
namespace {

EncodedTargets encode_classes(const ClassLabels& labels, std::vector<Index> labeled) {
  const auto classes = static_cast<Index>(labels.names.size());
  EncodedTargets result;
  ClassDecision decision{labels.names, Vector::Zero(classes)};
  result.y = Matrix::Zero(labeled.size(), classes);
  for (std::size_t k = 0; k < labeled.size(); ++k) {
    const std::int32_t code = labels.code[labeled[k]];
    result.y(k, code) = 1.0;
    decision.prior[code] += 1.0;
  }
  decision.prior /= static_cast<double>(labeled.size());
  if ((decision.prior.array() > 0.0).count() < 2) {
    Index only = 0;
    decision.prior.maxCoeff(&only);
    throw ValueError(fmt::format(
        "all {} labelled samples are of class '{}'; expected at least two classes (classes known: "
        "{})",
        labeled.size(), labels.names[only], fmt::join(labels.names, ", ")));
  }
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
  result.labeled = std::move(labeled);
  result.decision = TargetDecision{targets.names, std::move(mean)};
  return result;
}

}  // namespace

EncodedTargets encode_targets(const Labels& labels, bool intercept) {
  std::vector<Index> labeled = labeled_indices(labels);
  if (labeled.empty()) {
    throw ValueError(
        "no labelled sample: give labels for at least a few samples (class -1, an empty cell or "
        "NaN means unlabelled)");
  }
  if (const auto* classes = std::get_if<ClassLabels>(&labels)) {
    return encode_classes(*classes, std::move(labeled));
  }
  return encode_values(std::get<TargetValues>(labels), std::move(labeled), intercept);
}

double evidence_floor(ConstMatrixRef fitted) {
  return fitted.size() > 0 ? 1e-10 * fitted.cwiseAbs().maxCoeff() : 0.0;
}

Predictions decide(const Decision& decision, Matrix f, double floor) {
  Predictions result;
  result.evidence.resize(f.rows());
  for (Index i = 0; i < f.rows(); ++i) {
    result.evidence[i] = f.row(i).cwiseAbs().maxCoeff() > floor;
    if (!result.evidence[i]) f.row(i).setZero();
  }
  if (const auto* classes = std::get_if<ClassDecision>(&decision)) {
    Index most_frequent = 0;
    classes->prior.maxCoeff(&most_frequent);
    result.class_index.resize(f.rows());
    for (Index i = 0; i < f.rows(); ++i) {
      result.class_index[i] = most_frequent;
      if (result.evidence[i]) f.row(i).maxCoeff(&result.class_index[i]);
    }
  } else {
    f.rowwise() += std::get<TargetDecision>(decision).mean.transpose();
  }
  result.scores = std::move(f);
  return result;
}

}  // namespace stkr
