#include "selection/folds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "runtime/random.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/fit.hpp"

namespace stkr {

std::vector<std::vector<Index>> labeled_folds(const Labels& labels, int folds, std::uint64_t seed) {
  const std::vector<Index> labeled = labeled_indices(labels);
  if (folds < 2) {
    throw ParameterError(fmt::format("{} folds; expected 2 or more", folds));
  }
  if (static_cast<std::size_t>(folds) > labeled.size()) {
    throw ParameterError(
        fmt::format("{} folds but only {} labeled samples; use fewer folds, or leave-one-out",
                    folds, labeled.size()));
  }
  std::vector<Index> order(labeled.size());
  std::iota(order.begin(), order.end(), 0);
  Random(seed).shuffle(order);
  if (const auto* classes = std::get_if<ClassLabels>(&labels)) {
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return classes->code[labeled[a]] < classes->code[labeled[b]];
    });
  }
  std::vector<std::vector<Index>> result(folds);
  for (std::size_t k = 0; k < order.size(); ++k) result[k % folds].push_back(order[k]);
  for (std::vector<Index>& fold : result) std::sort(fold.begin(), fold.end());
  return result;
}

std::vector<Fold> fitted_to_the_others(std::vector<std::vector<Index>> held_out, Index labeled) {
  std::vector<Fold> folds;
  for (std::vector<Index>& fold : held_out) {
    std::vector<Index> others = unlabeled_samples(labeled, fold);
    folds.push_back({std::move(others), std::move(fold)});
  }
  return folds;
}

std::vector<Fold> by_position(const std::vector<Fold>& folds, const Labels& labels) {
  if (folds.empty()) throw ValueError("no folds; expected at least one");
  const std::vector<Index> labeled = labeled_indices(labels);
  std::vector<Index> position(sample_count(labels), -1);
  for (std::size_t k = 0; k < labeled.size(); ++k) position[labeled[k]] = static_cast<Index>(k);
  std::vector<Fold> result;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    std::vector<char> used(labeled.size(), 0);
    const auto converted = [&](const std::vector<Index>& samples, const char* part) {
      if (samples.empty()) {
        throw ValueError(fmt::format("fold {}: {} is empty; expected labeled samples", f, part));
      }
      std::vector<Index> places;
      for (const Index i : samples) {
        const Index place = i < 0 || i >= std::ssize(position) ? -1 : position[i];
        if (place < 0) {
          throw ValueError(fmt::format(
              "fold {}: sample {} in {} {}; expected labeled samples, counted from 0 to {}", f, i,
              part, i < 0 || i >= std::ssize(position) ? "does not exist" : "has no label",
              std::ssize(position) - 1));
        }
        if (used[place]) {
          throw ValueError(fmt::format("fold {}: sample {} is listed twice", f, i));
        }
        used[place] = 1;
        places.push_back(place);
      }
      std::sort(places.begin(), places.end());
      return places;
    };
    Fold fold;
    fold.train = converted(folds[f].train, "train");
    fold.held_out = converted(folds[f].held_out, "held_out");
    result.push_back(std::move(fold));
  }
  return result;
}

HeldOutRows held_out_rows(const std::vector<Fold>& folds) {
  std::vector<std::pair<Index, Index>> all;  // position, fold
  for (std::size_t f = 0; f < folds.size(); ++f) {
    for (const Index i : folds[f].held_out) all.emplace_back(i, static_cast<Index>(f));
  }
  std::sort(all.begin(), all.end());
  HeldOutRows result;
  result.rows.resize(folds.size());
  for (const auto& [position, fold] : all) {
    result.rows[fold].push_back(static_cast<Index>(result.position.size()));
    result.position.push_back(position);
    result.fold.push_back(fold);
  }
  return result;
}

}  // namespace stkr
