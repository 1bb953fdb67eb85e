#include "selection_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "console.hpp"
#include "repeat_command.hpp"
#include "report/selection_tables.hpp"
#include "specification/method_names.hpp"
#include "specification_text.hpp"

namespace stkr::app {

using namespace report;

std::optional<double> expected_score(const SelectionReport& report, const Selection& selection) {
  return selection.expected_best(report.result.truth, report.result.validated, report.seed);
}

namespace {

// ", 2 kernels and 3 parameters left out", or empty.
std::string left_out_count(const Selection& selection) {
  const auto kernels =
      std::count_if(selection.kernels.begin(), selection.kernels.end(),
                    [](const TriedKernel& kernel) { return !kernel.left_out.empty(); });
  const auto count = [](std::size_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  std::vector<std::string> parts;
  if (kernels > 0) parts.push_back(count(static_cast<std::size_t>(kernels), "kernel"));
  if (!selection.left_out.empty()) parts.push_back(count(selection.left_out.size(), "parameter"));
  return parts.empty() ? "" : fmt::format(", {} left out", fmt::join(parts, " and "));
}

std::string text_map(const HeatMap& map) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> head{map.y_label + " \\ " + map.x_label};
  head.insert(head.end(), map.x_names.begin(), map.x_names.end());
  rows.push_back(head);
  for (std::size_t y = 0; y < map.y_names.size(); ++y) {
    std::vector<std::string> row{map.y_names[y]};
    for (std::size_t x = 0; x < map.x_names.size(); ++x) {
      const double value = map.values[y][x];
      std::string cell = std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, map.decimals);
      if (map.mark && map.mark->first == y && map.mark->second == x) cell = "*" + cell;
      row.push_back(cell);
    }
    rows.push_back(row);
  }
  return format_table(rows);
}

}  // namespace

void print_selection(const SelectionReport& report, int top) {
  fmt::print("data   {}\n", report.data);
  for (const auto& [setting, selection] : report.result.selections) {
    fmt::print("\n{}: {} of {} grid points by {} in {:.2f} s{}\n",
               validation_name(report.result) == "validation" ? to_string(setting)
                                                              : validation_name(report.result),
               selection.scores.size(),
               selection.kernels.size() * report.ways * grid_points(report.result.grid).size(),
               to_string(selection.score), selection.seconds, left_out_count(selection));
    fmt::print("\n{}",
               format_table(best_points(report.result, selection, static_cast<std::size_t>(top))));
    const auto show_best = [&](const char* what, const auto& best) {
      if (best.size() > 2) fmt::print("\nBest of each {}:\n{}", what, format_table(best));
    };
    show_best("kernel", best_of_kernels(report.result, selection));
    show_best("family", best_of_families(report.result, selection));
    const auto left_out = left_out_rows(report.result, selection);
    if (left_out.size() > 1) fmt::print("\n{}", format_table(left_out));
    if (const auto best = selection.best()) {
      const HeatMap map =
          score_map(report.result, selection, selection.scores[*best].point, report.name);
      fmt::print("\n{} (* the best):\n{}", map.title, text_map(map));
    }
  }
  const Selection& first = report.result.selections.front().second;
  if (const auto best = first.best()) {
    const GridPoint& point = first.scores[*best].point;
    fmt::print("\nchosen {}{}, {}{}\n",
               several_kernels(first) ? first.kernels[point.kernel].description + ", " : "",
               describe(point, report.result.grid),
               has_ridge(point.family) ? fmt::format("{}=", ridge_name(report.result.grid)) : "",
               show_ridge(point));
    if (first.tied() > 1) {
      fmt::print("ties   {} of {} points have the best score; ties are broken by {}\n",
                 first.tied(), first.scores.size(), tie_break(first));
    }
    if (const auto expected = expected_score(report, first)) {
      fmt::print("expect {} {} on new samples: {} is the best of {} scores on {} samples\n",
                 to_string(first.score), show_score(*expected, first.score),
                 show_score(first.scores[*best].validation, first.score), first.scores.size(),
                 report.result.validated.size());
    }
    fmt::print("fit    {}\n", fit_command(report, first, first.scores[*best]));
  }
  if (!report.model.empty()) fmt::print("model  {}\n", report.model);
  if (!report.plot.empty()) fmt::print("plot   {}\n", report.plot);
  if (!report.page.empty()) fmt::print("page   {}\n", report.page);
}

std::string heat_map(const SelectionReport& report) {
  const Selection& selection = report.result.selections.front().second;
  return render_svg(
      score_map(report.result, selection, selection.scores[*selection.best()].point, report.name));
}

std::vector<std::string> fit_words(const SelectionReport& report, const Selection& selection,
                                   const GridScore& score) {
  const Specification spec = specification_of(
      score.point, report.result.grid, selection.largest_eigenvalue(score.point), {}, score.beta);
  std::vector<std::string> words = report.kernel_options[score.point.kernel];
  for (std::string& word : method_words(spec)) words.push_back(std::move(word));
  return words;
}

std::string fit_command(const SelectionReport& report, const Selection& selection,
                        const GridScore& score) {
  return repeat_command(*report.command, fit_words(report, selection, score),
                        report.model.empty() ? "model.npz" : report.model);
}

}  // namespace stkr::app
