#include "stkr/estimator/model.hpp"

#include <fmt/format.h>

#include "stkr/error.hpp"

namespace stkr {

Model::Model(std::unique_ptr<CrossKernel> cross, Fit fit, Decision decision, ModelInfo info)
    : cross_(std::move(cross)),
      coefficients_(std::move(fit.coefficients)),
      fitted_(std::move(fit.fitted)),
      evidence_floor_(evidence_floor(fitted_)),
      decision_(std::move(decision)),
      info_(std::move(info)) {
  const auto outputs = std::visit([](const auto& d) { return d.names.size(); }, decision_);
  if (cross_->known() != coefficients_.rows() || coefficients_.rows() != fitted_.rows() ||
      coefficients_.cols() != fitted_.cols() ||
      static_cast<Index>(outputs) != coefficients_.cols()) {
    throw ShapeError(fmt::format(
        "Model: {} known samples, coefficients {} x {}, fitted values {} x {}, {} outputs; these "
        "must agree",
        cross_->known(), coefficients_.rows(), coefficients_.cols(), fitted_.rows(), fitted_.cols(),
        outputs));
  }
}

Predictions Model::predict() const { return predict(0, size()); }

Predictions Model::predict(Index first, Index count) const {
  return decide(decision_, fitted_.middleRows(first, count), evidence_floor_);
}

Predictions Model::predict(const NewSamples& samples) const {
  return decide(decision_, cross_->apply(samples, coefficients_), evidence_floor_);
}

Matrix Model::kernel_product(const NewSamples& samples, ConstMatrixRef b) const {
  return cross_->apply(samples, b);
}

}  // namespace stkr
