#include "report/selection_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/selection_tables.hpp"
#include "stkr/version.hpp"

namespace stkr::report {
namespace {

constexpr std::size_t kBestShown = 10;
constexpr std::size_t kMapsShown = 8;

std::string chosen_text(const ModelSelection& result, const Selection& selection,
                        const GridPoint& point) {
  return fmt::format(
      "{}{}, {}{}{}",
      several_kernels(selection) ? selection.kernels[point.kernel].description + ", " : "",
      describe(point, result.grid),
      has_ridge(point.family) ? fmt::format("{} ", ridge_name(result.grid)) : "", show_ridge(point),
      point.class_mass ? ", class mass" : "");
}

// The predictions of the chosen point for the samples on which it was scored, against their labels.
void add_outcomes(const ModelSelection& result, const GridScore& chosen, RunPage& page) {
  const auto* classes = std::get_if<ClassLabels>(&result.truth);
  if (!classes || chosen.outcomes.size() != result.validated.size()) return;
  std::vector<Index> answers;
  Index guesses = 0;
  for (const float outcome : chosen.outcomes) {
    const bool answered = !std::isnan(outcome) && outcome != kGuess;
    guesses += outcome == kGuess;
    answers.push_back(answered ? static_cast<Index>(outcome) : -1);
  }
  page.confusions.push_back(confusion_of(fmt::format("Confusion, {}", validation_name(result)),
                                         result.truth, result.validated, answers));
  ClassShares shares{.names = classes->names,
                     .labels = std::vector<Index>(classes->names.size(), 0),
                     .answers = std::vector<Index>(classes->names.size(), 0),
                     .prior = {}};
  for (std::size_t k = 0; k < answers.size(); ++k) {
    const std::int32_t label = classes->code[result.validated[k]];
    if (label != kUnlabeled) ++shares.labels[label];
    if (answers[k] >= 0) ++shares.answers[answers[k]];
  }
  page.shares = std::move(shares);
  if (guesses > 0) {
    page.evidence.emplace_back("Held-out samples without evidence",
                               fmt::format("{} of {}: they count as guesses", counted(guesses),
                                           counted(static_cast<long long>(answers.size()))));
  }
}

// The chosen family's scores first, then those of the other families with their best kernels.
void add_maps(const SelectionPage& input, const Selection& selection, const std::string& setting,
              RunPage& page) {
  std::set<Family> seen;
  for (const std::size_t k : selection.ranking()) {
    const GridPoint& point = selection.scores[k].point;
    if (!seen.insert(point.family).second || seen.size() > kMapsShown) continue;
    const HeatMap map = score_map(input.result, selection, point, input.name);
    const bool any = std::any_of(map.values.begin(), map.values.end(), [](const auto& row) {
      return std::any_of(row.begin(), row.end(), [](double v) { return std::isfinite(v); });
    });
    if (!any) continue;
    page.figures.push_back({.title = {},
                            .caption = setting + "The frame marks the best cell.",
                            .svg = render_svg(map),
                            .wide = map.x_names.size() > 9});
  }
}

void add_setting(const SelectionPage& input, const Selection& selection, const std::string& setting,
                 RunPage& page) {
  const ModelSelection& result = input.result;
  const auto add = [&](const char* title, TextRows rows, std::size_t least) {
    if (rows.size() > least) page.tables.push_back({setting + title, std::move(rows)});
  };
  add("The best points", best_points(result, selection, kBestShown), 1);
  add("The best point of each kernel", best_of_kernels(result, selection), 2);
  add("The best point of each family", best_of_families(result, selection), 2);
  add("Left out", left_out_rows(result, selection), 1);
  add_maps(input, selection, setting, page);
  for (const std::string& warning : selection.warnings) page.warnings.push_back(setting + warning);
}

}  // namespace

RunPage selection_page(const SelectionPage& input) {
  const ModelSelection& result = input.result;
  RunPage page;
  page.title = "Selection for " + (input.data.empty() ? "your data" : input.data);
  const bool several = result.selections.size() > 1;
  for (const auto& [setting, selection] : result.selections) {
    add_setting(input, selection, several ? fmt::format("{}: ", to_string(setting)) : "", page);
  }
  const Selection& first = result.selections.front().second;
  page.intro.push_back(fmt::format(
      "{} of transform, parameter, ridge and kernel, compared by {} ({}) in {:.2f} s.",
      counted(static_cast<long long>(input.points > 0 ? input.points : first.scores.size()),
              "combination"),
      validation_name(result), to_string(first.score), result.seconds));
  if (const auto best = first.best()) {
    const GridScore& chosen = first.scores[*best];
    page.scores = {
        {"Chosen", chosen_text(result, first, chosen.point)},
        {fmt::format("{}, {}", to_string(first.score), validation_name(result)),
         fmt::format("{} on {}", show_score(chosen.validation, first.score),
                     counted(static_cast<long long>(result.validated.size()), "sample"))}};
    if (chosen.test) {
      page.scores.emplace_back(fmt::format("{}, test", to_string(first.score)),
                               show_score(*chosen.test, first.score));
    }
    if (const auto expected = first.expected_best(result.truth, result.validated, input.seed)) {
      page.scores.emplace_back("Expected on new samples",
                               fmt::format("{}, because the best of {} scores is optimistic",
                                           show_score(*expected, first.score),
                                           counted(static_cast<long long>(first.scores.size()))));
    }
    if (first.tied() > 1) {
      page.scores.emplace_back(
          "Ties",
          fmt::format("{} of {} points have the best score; ties are broken by {}",
                      counted(static_cast<long long>(first.tied())),
                      counted(static_cast<long long>(first.scores.size())), tie_break(first)));
    }
    add_outcomes(result, chosen, page);
  }
  page.facts = input.repeat;
  page.facts.emplace_back("Version", fmt::format("stkr {}", kVersion));
  return page;
}

}  // namespace stkr::report
