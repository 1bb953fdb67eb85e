#include "selection_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "console.hpp"
#include "heat_map.hpp"
#include "specification_text.hpp"
#include "stkr/specification/method_names.hpp"

namespace stkr::app {

bool several_kernels(const Selection& selection) { return selection.kernels.size() > 1; }

std::optional<double> expected_score(const SelectionReport& report, const Selection& selection) {
  return selection.expected_best(report.result.truth, report.result.validated, report.seed);
}

namespace {

std::string show(double value, Score score) {
  if (std::isnan(value)) return "-";
  const bool share = score != Score::mse && score != Score::r2;
  return share ? fmt::format("{:.2f}%", 100.0 * value) : fmt::format("{:.4g}", value);
}

// The value of a point's ridge in either form.
double ridge_of(const GridPoint& point) { return point.beta > 0.0 ? point.beta : point.ridge; }

const char* ridge_name(const Grid& grid) { return grid.betas.empty() ? "ridge" : "beta"; }

std::string second_parameter(const GridPoint& point) {
  return has_ridge(point.family) ? fmt::format("{:g}", ridge_of(point))
                                 : fmt::format("T={}", point.iterations);
}

bool tested(const Selection& selection) {
  return !selection.scores.empty() && selection.scores.front().test.has_value();
}

std::vector<std::string> ranked_row(const std::string& rank, const GridScore& score,
                                    const SelectionReport& report, const Selection& selection) {
  std::vector<std::string> row{rank, describe(score.point, report.result.grid),
                               second_parameter(score.point),
                               show(score.validation, selection.score)};
  if (tested(selection)) row.push_back(score.test ? show(*score.test, selection.score) : "-");
  if (several_kernels(selection)) {
    row.insert(row.begin() + 1, selection.kernels[score.point.kernel].description);
  }
  return row;
}

std::vector<std::string> table_head(const SelectionReport& report, const Selection& selection) {
  std::vector<std::string> head{"rank", "method", ridge_name(report.result.grid),
                                validation_name(report)};
  if (tested(selection)) head.push_back("test");
  if (several_kernels(selection)) head.insert(head.begin() + 1, "kernel");
  return head;
}

// The best point of each group defined by `group_of`, best first.
template <class GroupOf>
std::vector<std::vector<std::string>> best_of_each(const SelectionReport& report,
                                                   const Selection& selection, GroupOf&& group_of) {
  std::vector<std::vector<std::string>> rows{table_head(report, selection)};
  std::vector<decltype(group_of(GridPoint{}))> seen;
  const std::vector<std::size_t> ranking = selection.ranking();
  for (std::size_t k = 0; k < ranking.size(); ++k) {
    const GridScore& score = selection.scores[ranking[k]];
    if (std::find(seen.begin(), seen.end(), group_of(score.point)) != seen.end()) continue;
    seen.push_back(group_of(score.point));
    rows.push_back(ranked_row(fmt::format("{}", k + 1), score, report, selection));
  }
  return rows;
}

// Scores for the kernel and family of a point: parameters down, ridge or steps across.
HeatMap score_map(const SelectionReport& report, const Selection& selection,
                  const GridPoint& shown) {
  HeatMap map;
  const Family family = shown.family;
  const auto wanted = [&](const GridPoint& p) {
    return p.family == family && p.kernel == shown.kernel;
  };
  const bool ridge = has_ridge(family);
  std::vector<GridScore> scores;
  for (const GridScore& score : selection.scores) {
    if (wanted(score.point)) scores.push_back(score);
  }
  std::vector<double> parameters, seconds;
  const auto second = [&](const GridPoint& p) {
    return ridge ? ridge_of(p) : static_cast<double>(p.iterations);
  };
  const auto place = [](std::vector<double>& values, double value) {
    const auto found = std::find(values.begin(), values.end(), value);
    if (found != values.end()) return static_cast<std::size_t>(found - values.begin());
    values.push_back(value);
    return values.size() - 1;
  };
  for (const GridScore& score : scores) {
    place(parameters, score.point.parameter);
    place(seconds, second(score.point));
  }
  map.values.assign(parameters.size(), std::vector<double>(seconds.size(), std::nan("")));
  const bool share = selection.score != Score::mse && selection.score != Score::r2;
  for (const GridScore& score : scores) {
    double& cell =
        map.values[place(parameters, score.point.parameter)][place(seconds, second(score.point))];
    // Only classes have two ways, with and without class mass: shows the better one.
    cell = std::fmax(cell, (share ? 100.0 : 1.0) * score.validation);
  }
  for (const double value : parameters) {
    map.y_names.push_back(family == Family::polynomial
                              ? describe({family, value}, report.result.grid)
                              : fmt::format("{:.8g}", value));
  }
  for (const double value : seconds) map.x_names.push_back(fmt::format("{:g}", value));
  const auto best = selection.best(wanted);
  if (best) {
    const GridPoint& point = selection.scores[*best].point;
    map.mark = {place(parameters, point.parameter), place(seconds, second(point))};
  }
  map.title = fmt::format("{}: {} {}", to_string(family), validation_name(report),
                          to_string(selection.score));
  if (several_kernels(selection)) {
    map.title = selection.kernels[shown.kernel].description + ", " + map.title;
  }
  map.x_label = !ridge                             ? "steps T"
                : report.result.grid.betas.empty() ? "relative ridge"
                                                   : "ridge beta";
  map.y_label = family == Family::power        ? "power p"
                : family == Family::top_d      ? "dimension d"
                : family == Family::diffusion  ? "time t"
                : family == Family::polynomial ? to_string(family)
                                               : "eta";
  map.decimals = share ? 1 : 3;
  return map;
}

// What could not be tried, with the reasons: kernels, then parameters of families.
std::vector<std::vector<std::string>> left_out_rows(const SelectionReport& report,
                                                    const Selection& selection) {
  std::vector<std::vector<std::string>> rows{{"left out", "reason"}};
  for (const TriedKernel& kernel : selection.kernels) {
    if (!kernel.left_out.empty()) {
      rows.push_back({"kernel " + kernel.description, kernel.left_out});
    }
  }
  for (const LeftOut& point : selection.left_out) {
    const std::string name = describe({point.family, point.parameter}, report.result.grid);
    rows.push_back({several_kernels(selection)
                        ? selection.kernels[point.kernel].description + ", " + name
                        : name,
                    point.reason});
  }
  return rows;
}

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

// What broke the tie between the points with the best score.
const char* tie_break(const Selection& selection) {
  const std::vector<std::size_t> ranking = selection.ranking();
  const auto loss = [&](std::size_t place) { return selection.scores[ranking[place]].loss; };
  const bool by_loss = !selection.ties_by_grid_order && loss(0) < loss(1);
  return by_loss ? "their squared error" : "their order in the grid";
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
    fmt::print(
        "\n{}: {} of {} grid points by {} in {:.2f} s{}\n",
        validation_name(report) == "validation" ? to_string(setting) : validation_name(report),
        selection.scores.size(),
        selection.kernels.size() * report.ways * grid_points(report.result.grid).size(),
        to_string(selection.score), selection.seconds, left_out_count(selection));
    const std::vector<std::size_t> ranking = selection.ranking();
    std::vector<std::vector<std::string>> rows{table_head(report, selection)};
    for (std::size_t k = 0; k < ranking.size() && k < static_cast<std::size_t>(top); ++k) {
      rows.push_back(
          ranked_row(fmt::format("{}", k + 1), selection.scores[ranking[k]], report, selection));
    }
    fmt::print("\n{}", format_table(rows));
    const auto show_best = [&](const char* what, const auto& best) {
      if (best.size() > 2) fmt::print("\nBest of each {}:\n{}", what, format_table(best));
    };
    show_best("kernel",
              best_of_each(report, selection, [](const GridPoint& p) { return p.kernel; }));
    show_best("family",
              best_of_each(report, selection, [](const GridPoint& p) { return p.family; }));
    const auto left_out = left_out_rows(report, selection);
    if (left_out.size() > 1) fmt::print("\n{}", format_table(left_out));
    if (!ranking.empty()) {
      const HeatMap map = score_map(report, selection, selection.scores[ranking.front()].point);
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
               second_parameter(point));
    if (first.tied() > 1) {
      fmt::print("ties   {} of {} points have the best score; ties are broken by {}\n",
                 first.tied(), first.scores.size(), tie_break(first));
    }
    if (const auto expected = expected_score(report, first)) {
      fmt::print("expect {} {} on new samples: {} is the best of {} scores on {} samples\n",
                 to_string(first.score), show(*expected, first.score),
                 show(first.scores[*best].validation, first.score), first.scores.size(),
                 report.result.validated.size());
    }
    fmt::print("fit    stkr fit ... {}\n", fit_options(report, first, first.scores[*best]));
  }
  if (!report.model.empty()) fmt::print("model  {}\n", report.model);
  if (!report.plot.empty()) fmt::print("plot   {}\n", report.plot);
}

std::string heat_map(const SelectionReport& report) {
  const Selection& selection = report.result.selections.front().second;
  return render_svg(score_map(report, selection, selection.scores[*selection.best()].point));
}

std::string validation_name(const SelectionReport& report) {
  const ValidationSpec& validation = report.result.validation;
  if (validation.split) return "validation";
  return validation.folds > 0 ? "cross-validation" : "leave-one-out";
}

std::string fit_options(const SelectionReport& report, const Selection& selection,
                        const GridScore& score) {
  const Specification spec = specification_of(
      score.point, report.result.grid, selection.largest_eigenvalue(score.point), {}, score.beta);
  const std::string text = method_text(spec);
  const std::string& kernel = report.kernel_options[score.point.kernel];
  return kernel.empty() ? text : kernel + " " + text;
}

}  // namespace stkr::app
