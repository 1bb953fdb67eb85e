#include "gram/sum_gram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "cross_kernels.hpp"
#include "gram/gram_cost.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// Files name their parts gram0, gram1, ...
std::string part_name(std::size_t k) { return fmt::format("gram{}", k); }

void check_weights(std::size_t parts, const std::vector<double>& weights, const char* who) {
  if (parts == 0 || weights.size() != parts) {
    throw ShapeError(fmt::format(
        "{}: {} grams and {} weights; expected at least one gram and one weight per gram", who,
        parts, weights.size()));
  }
  for (std::size_t k = 0; k < parts; ++k) {
    if (!(weights[k] > 0.0) || !std::isfinite(weights[k])) {
      throw ValueError(
          fmt::format("{}: weight {} is {}; weights must be positive and finite, so omit grams "
                      "that should not count",
                      who, k, weights[k]));
    }
  }
}

// The weighted sum of grams that outlive it.
SumOperator sum_of(const std::vector<std::unique_ptr<GramOperator>>& grams,
                   const std::vector<double>& weights) {
  std::vector<SharedOperator<Matrix>> parts;
  for (const auto& gram : grams) parts.push_back(borrowed<Matrix>(*gram));
  return SumOperator(std::move(parts), weights);
}

template <class Part>
double sum_of_self_terms(const std::vector<std::unique_ptr<Part>>& parts,
                         const std::vector<double>& weights) {
  double sum = 0.0;
  for (std::size_t k = 0; k < parts.size(); ++k) sum += weights[k] * parts[k]->self_term();
  return sum;
}

// The result of the first part that has one.
template <class Part, class Ask>
std::optional<std::vector<Index>> first_answer(const std::vector<std::unique_ptr<Part>>& parts,
                                               Ask&& ask) {
  for (const auto& part : parts) {
    if (auto answer = ask(part)) return answer;
  }
  return std::nullopt;
}

// The intersection of both.
Twins common(const Twins& a, const Twins& b) {
  Twins result;
  for (std::size_t row = 0; row + 1 < a.row_start.size(); ++row) {
    std::set_intersection(
        a.sample.begin() + a.row_start[row], a.sample.begin() + a.row_start[row + 1],
        b.sample.begin() + b.row_start[row], b.sample.begin() + b.row_start[row + 1],
        std::back_inserter(result.sample));
    result.row_start.push_back(static_cast<std::int64_t>(result.sample.size()));
  }
  return result;
}

// The common eigenvectors of the parts, with the sum of their eigenvalues.
std::optional<KnownEigenspace> common_eigenspace(
    const std::vector<std::unique_ptr<GramOperator>>& grams, const std::vector<double>& weights) {
  const KnownEigenspace* first = grams.front()->known_eigenspace();
  if (first == nullptr) return std::nullopt;
  double eigenvalue = 0.0;
  for (std::size_t k = 0; k < grams.size(); ++k) {
    const KnownEigenspace* space = grams[k]->known_eigenspace();
    if (space == nullptr || !space->same_vectors(*first)) return std::nullopt;
    eigenvalue += weights[k] * space->eigenvalue();
  }
  return first->with_eigenvalue(eigenvalue);
}

}  // namespace

SumGram::SumGram(std::vector<std::unique_ptr<GramOperator>> grams, std::vector<double> weights)
    : grams_(std::move(grams)), weights_(std::move(weights)) {
  check_weights(grams_.size(), weights_, "sum of kernels");
  for (std::size_t k = 0; k < grams_.size(); ++k) {
    if (grams_[k] == nullptr) throw ValueError(fmt::format("SumGram: gram {} is null", k));
    if (grams_[k]->size() != size()) {
      throw ShapeError(fmt::format("SumGram: gram {} has {} samples but gram 0 has {}", k,
                                   grams_[k]->size(), size()));
    }
  }
  sum_.emplace(sum_of(grams_, weights_));
  eigenspace_ = common_eigenspace(grams_, weights_);
}

void SumGram::apply(ConstMatrixRef x, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "SumGram::apply");
  sum_->apply(x, y);
}

std::shared_ptr<const DeviceOperator> SumGram::on_device() const { return sum_->on_device(); }

void SumGram::apply_step(double a, ConstMatrixRef x, double b, double c, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "SumGram::apply_step");
  sum_->apply_step(a, x, b, c, y);
}

Index SumGram::panel_columns() const { return sum_->panel_columns(); }

std::unique_ptr<LinearOperator> SumGram::restricted(std::vector<Index> samples,
                                                    double scale) const {
  std::vector<SharedOperator<Matrix>> parts;
  for (std::size_t k = 0; k < grams_.size(); ++k) {
    parts.push_back(grams_[k]->restricted(samples, scale * weights_[k]));
  }
  return std::make_unique<SumOperator>(std::move(parts), std::vector<double>(grams_.size(), 1.0));
}

Matrix SumGram::block(std::span<const Index> rows, std::span<const Index> columns) const {
  Matrix result = weights_.front() * grams_.front()->block(rows, columns);
  for (std::size_t k = 1; k < grams_.size(); ++k) {
    result += weights_[k] * grams_[k]->block(rows, columns);
  }
  return result;
}

SpectrumBounds SumGram::bounds() const {
  // Weyl: the extreme eigenvalues of a sum lie within the sums of the extremes.
  SpectrumBounds bounds{0.0, 0.0};
  for (std::size_t k = 0; k < grams_.size(); ++k) {
    const SpectrumBounds part = grams_[k]->bounds();
    bounds.lower += weights_[k] * part.lower;
    bounds.upper += weights_[k] * part.upper;
  }
  return bounds;
}

bool SumGram::nonnegative() const {
  return std::all_of(grams_.begin(), grams_.end(),
                     [](const auto& gram) { return gram->nonnegative(); });
}

bool SumGram::sparse() const {
  return std::all_of(grams_.begin(), grams_.end(), [](const auto& gram) { return gram->sparse(); });
}

double SumGram::self_term() const { return sum_of_self_terms(grams_, weights_); }

std::optional<std::vector<Index>> SumGram::nearest(std::span<const Index> samples,
                                                   std::span<const Index> among) const {
  return first_answer(grams_, [&](const auto& gram) { return gram->nearest(samples, among); });
}

std::unique_ptr<CrossKernel> SumGram::cross_kernel() const {
  std::vector<std::unique_ptr<CrossKernel>> parts;
  for (const auto& gram : grams_) parts.push_back(gram->cross_kernel());
  return std::make_unique<SumCrossKernel>(std::move(parts), weights_);
}

SumCrossKernel::SumCrossKernel(std::vector<std::unique_ptr<CrossKernel>> parts,
                               std::vector<double> weights)
    : parts_(std::move(parts)), weights_(std::move(weights)) {
  check_weights(parts_.size(), weights_, "SumCrossKernel");
  for (const auto& part : parts_) {
    if (part->known() != known()) {
      throw ShapeError(fmt::format("SumCrossKernel: parts with {} and {} known samples",
                                   part->known(), known()));
    }
  }
}

std::optional<Index> SumCrossKernel::features() const {
  for (const auto& part : parts_) {
    if (const std::optional<Index> found = part->features()) return found;
  }
  return std::nullopt;
}

class SumCrossKernel::Placed final : public PlacedSamples {
 public:
  Placed(const SumCrossKernel& cross, const std::vector<NewSamples>& given)
      : cross_(cross), count_(given.front().count()) {
    for (std::size_t k = 0; k < given.size(); ++k) {
      parts_.push_back(cross.parts_[k]->place(given[k]));
    }
  }

  Matrix apply(ConstMatrixRef c) const override {
    check_coefficients(cross_, c, "SumCrossKernel::apply");
    Matrix result = Matrix::Zero(count_, c.cols());
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      result += cross_.weights_[k] * parts_[k]->apply(c);
    }
    return result;
  }
  std::optional<Matrix> rows() const override {
    return sum_of_parts<Matrix>([](const PlacedSamples& part) { return part.rows(); });
  }
  std::optional<Matrix> among() const override {
    return sum_of_parts<Matrix>([](const PlacedSamples& part) { return part.among(); });
  }
  std::optional<Vector> diagonal() const override {
    return sum_of_parts<Vector>([](const PlacedSamples& part) { return part.diagonal(); });
  }
  // Twins in every part that reports twins.
  std::optional<Twins> twins() const override {
    std::optional<Twins> result;
    for (const auto& part : parts_) {
      std::optional<Twins> own = part->twins();
      if (own) result = result ? common(*result, *own) : std::move(*own);
    }
    return result;
  }
  std::optional<std::vector<Index>> nearest(std::span<const Index> among) const override {
    return first_answer(parts_, [&](const auto& part) { return part->nearest(among); });
  }

 private:
  // Of what every part knows; none if one does not.
  template <class Value, class Ask>
  std::optional<Value> sum_of_parts(Ask&& ask) const {
    std::optional<Value> total;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      std::optional<Value> own = ask(*parts_[k]);
      if (!own) return std::nullopt;
      *own *= cross_.weights_[k];
      if (total) {
        *total += *own;
      } else {
        total = std::move(own);
      }
    }
    return total;
  }

  const SumCrossKernel& cross_;
  Index count_;
  std::vector<std::unique_ptr<PlacedSamples>> parts_;
};

double SumCrossKernel::self_term() const { return sum_of_self_terms(parts_, weights_); }

std::optional<std::vector<Index>> SumCrossKernel::nearest(std::span<const Index> samples,
                                                          std::span<const Index> among) const {
  return first_answer(parts_, [&](const auto& part) { return part->nearest(samples, among); });
}

std::unique_ptr<PlacedSamples> SumCrossKernel::place(const NewSamples& samples) const {
  const char* who = "new samples";
  const auto* given = std::get_if<std::vector<NewSamples>>(&samples.data);
  if (given == nullptr || given->size() != parts_.size()) {
    throw ValueError(fmt::format(
        "{}: new samples of a sum of {} grams must have {} parts, in the order of the grams", who,
        parts_.size(), parts_.size()));
  }
  for (const NewSamples& part : *given) {
    if (part.count() != samples.count()) {
      throw ShapeError(
          fmt::format("{}: the parts have {} and {} new samples; expected the same samples in each",
                      who, samples.count(), part.count()));
    }
  }
  return std::make_unique<Placed>(*this, *given);
}

void SumCrossKernel::save(CrossKernelSink& sink) const {
  sink.text("kind", "sum");
  sink.array("weights", 1, static_cast<Index>(weights_.size()), std::span<const double>(weights_));
  for (std::size_t k = 0; k < parts_.size(); ++k) sink.part(part_name(k), *parts_[k]);
}

std::unique_ptr<CrossKernel> load_sum_cross_kernel(CrossKernelSource& source,
                                                   const CrossKernelRegistry& registry) {
  const Vector weights = load_vector(source, "weights");
  std::vector<std::unique_ptr<CrossKernel>> parts;
  for (Index k = 0; k < weights.size(); ++k)
    parts.push_back(load_part(source, registry, part_name(k)));
  return std::make_unique<SumCrossKernel>(
      std::move(parts), std::vector<double>(weights.data(), weights.data() + weights.size()));
}

GramCost sum_gram_cost(const std::vector<GramCost>& parts) {
  GramCost total;
  for (const GramCost& part : parts) {
    total.samples += part.samples;
    total.gram += part.gram;
    total.preparing += part.preparing;
    total.scratch = std::max(total.scratch, part.scratch);
    total.evaluation = std::max(total.evaluation, part.evaluation);
    total.pairs += part.pairs;
    total.entries += part.entries;
  }
  if (parts.size() > 1) ++total.scratch;
  // A part with N² values outweighs the sparse ones.
  const bool sparse = std::all_of(parts.begin(), parts.end(),
                                  [](const GramCost& part) { return part.entries > 0; });
  if (!sparse) total.entries = 0;
  return total;
}

}  // namespace stkr
