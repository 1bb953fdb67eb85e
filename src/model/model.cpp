#include "stkr/model/model.hpp"

#include <fmt/format.h>

#include "stkr/error.hpp"

namespace stkr {
namespace {

Eigen::RowVectorXd mean_of_twins(const Twins& twins, Index row, ConstMatrixRef values) {
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(values.cols());
  for (std::int64_t p = twins.row_start[row]; p < twins.row_start[row + 1]; ++p) {
    sum += values.row(twins.sample[p]);
  }
  return sum / static_cast<double>(twins.count(row));
}

}  // namespace

Model::Model(std::unique_ptr<CrossKernel> cross, Fit fit, Decision decision, ModelInfo info)
    : cross_(std::move(cross)),
      coefficients_(std::move(fit.coefficients)),
      fitted_(std::move(fit.fitted)),
      evidence_(std::move(fit.evidence)),
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
  if (!info_.sample_names.empty() && static_cast<Index>(info_.sample_names.size()) != size()) {
    throw ShapeError(
        fmt::format("Model: {} names for {} samples", info_.sample_names.size(), size()));
  }
  for (const auto* flags : {&evidence_.reached, &evidence_.sources}) {
    if (!flags->empty() && static_cast<Index>(flags->size()) != size()) {
      throw ShapeError(
          fmt::format("Model: {} evidence flags for {} samples", flags->size(), size()));
    }
  }
  sources_ = evidence_.source_column(size());
}

void Model::set_fit_command(std::vector<std::string> arguments, std::string folder) {
  info_.fit_arguments = std::move(arguments);
  info_.fit_folder = std::move(folder);
}

Predictions Model::predict() const { return predict(0, size()); }

Predictions Model::predict(Index first, Index count) const {
  const Matrix f = fitted_.middleRows(first, count);
  return decide(decision_, f, evidence_.of_known(first, f), [&](const std::vector<Index>& rows) {
    std::vector<Index> samples = rows;
    for (Index& i : samples) i += first;
    return cross_->nearest(samples, std::get<ClassDecision>(decision_).labeled);
  });
}

Predictions Model::predict(const NewSamples& samples) const {
  const auto placed = cross_->place(samples);
  Matrix f, from_sources;
  if (sources_.cols() == 0 || placed->sparse()) {
    f = placed->apply(coefficients_);
    from_sources = sources_.cols() > 0 ? placed->apply(sources_) : Matrix(f.rows(), 0);
  } else {
    // One product for both: kernel rows are evaluated once.
    Matrix block(size(), outputs() + sources_.cols());
    block << coefficients_, sources_;
    const Matrix product = placed->apply(block);
    f = product.leftCols(outputs());
    from_sources = product.rightCols(sources_.cols());
  }
  std::vector<char> evidence = evidence_.of_new(f, from_sources);
  if (const auto twins = placed->twins()) {
    for (Index i = 0; i < f.rows(); ++i) {
      if (twins->count(i) == 0) continue;
      f.row(i) = mean_of_twins(*twins, i, fitted_);
      evidence[i] = 0;
      for (std::int64_t p = twins->row_start[i]; p < twins->row_start[i + 1]; ++p) {
        const Index known = twins->sample[p];
        evidence[i] |= evidence_.of_known(known, fitted_.row(known))[0];
      }
    }
  }
  return decide(decision_, std::move(f), std::move(evidence), [&](const std::vector<Index>& rows) {
    const auto all = placed->nearest(std::get<ClassDecision>(decision_).labeled);
    if (!all) return all;
    std::vector<Index> near;
    for (const Index i : rows) near.push_back((*all)[i]);
    return std::optional(std::move(near));
  });
}

Matrix Model::kernel_product(const NewSamples& samples, ConstMatrixRef b,
                             ConstMatrixRef values) const {
  const auto placed = cross_->place(samples);
  Matrix result = placed->apply(b);
  if (const auto twins = placed->twins()) {
    for (Index i = 0; i < result.rows(); ++i) {
      if (twins->count(i) > 0) result.row(i) = mean_of_twins(*twins, i, values);
    }
  }
  return result;
}

}  // namespace stkr
