#include "selection/known_labels.hpp"

#include <algorithm>
#include <numeric>

#include "stkr/dataset/splits.hpp"

namespace stkr {
namespace {

// The labels of samples of all processes.
Labels gathered(const Labels& own, std::span<const Index> samples, const SharedRows& rows) {
  if (const auto* classes = std::get_if<ClassLabels>(&own)) {
    Matrix codes(rows.count(), 1);
    for (Index i = 0; i < codes.rows(); ++i)
      codes(i, 0) = classes->code[static_cast<std::size_t>(i)];
    const Matrix all = gather_samples(&rows, codes, samples);
    ClassLabels result{.names = classes->names, .code = {}, .boolean = classes->boolean};
    for (Index k = 0; k < all.rows(); ++k) {
      result.code.push_back(static_cast<std::int32_t>(all(k, 0)));
    }
    return result;
  }
  const auto* targets = std::get_if<TargetValues>(&own);
  if (!targets) return {};
  return TargetValues{targets->names, gather_samples(&rows, targets->values, samples)};
}

}  // namespace

std::vector<Index> KnownLabels::samples(std::span<const Index> places) const {
  std::vector<Index> result(places.begin(), places.end());
  if (numbers.empty()) return result;
  for (Index& place : result) place = numbers[static_cast<std::size_t>(place)];
  return result;
}

std::vector<Index> KnownLabels::places(std::span<const Index> samples) const {
  std::vector<Index> result(samples.begin(), samples.end());
  if (numbers.empty()) return result;
  for (Index& sample : result) {
    sample = std::lower_bound(numbers.begin(), numbers.end(), sample) - numbers.begin();
  }
  return result;
}

KnownLabels known_labels(const Labels& own, const SharedRows* rows) {
  if (!rows) return {own, {}};
  std::vector<Index> samples = labeled_indices(own);
  for (Index& sample : samples) sample += rows->first();
  samples = rows->joined(samples);
  Labels labels = gathered(own, samples, *rows);
  return {std::move(labels), std::move(samples)};
}

KnownSplit known_split(const Labels& own, const FourWaySplit& split, const SharedRows* rows) {
  if (!rows) return {{own, {}}, split};
  KnownLabels known;
  for (const std::vector<Index>* part : {&split.train, &split.val, &split.test}) {
    known.numbers.insert(known.numbers.end(), part->begin(), part->end());
  }
  std::sort(known.numbers.begin(), known.numbers.end());
  known.labels = gathered(own, known.numbers, *rows);
  FourWaySplit places{
      known.places(split.train), known.places(split.val), known.places(split.test), {}};
  return {std::move(known), std::move(places)};
}

std::vector<Index> some_unlabeled(Index size, std::span<const Index> labeled, Index count) {
  std::vector<Index> labels(labeled.begin(), labeled.end());
  std::sort(labels.begin(), labels.end());
  const Index unlabeled = size - static_cast<Index>(labels.size());
  count = std::min(unlabeled, count);
  std::vector<Index> chosen;
  std::size_t before = 0;  // labels before the sample
  for (Index k = 0; k < count; ++k) {
    Index sample = k * unlabeled / count + static_cast<Index>(before);
    while (before < labels.size() && labels[before] <= sample) {
      ++before;
      ++sample;
    }
    chosen.push_back(sample);
  }
  return chosen;
}

}  // namespace stkr
