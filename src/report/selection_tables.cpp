#include "report/selection_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stkr::report {
namespace {

// The value of a point's ridge in either form.
double ridge_of(const GridPoint& point) { return point.beta > 0.0 ? point.beta : point.ridge; }

bool tested(const Selection& selection) {
  return !selection.scores.empty() && selection.scores.front().test.has_value();
}

std::vector<std::string> ranked_row(const std::string& rank, const GridScore& score,
                                    const ModelSelection& result, const Selection& selection) {
  std::vector<std::string> row{rank, describe(score.point, result.grid), show_ridge(score.point),
                               show_score(score.validation, selection.score)};
  if (tested(selection)) row.push_back(score.test ? show_score(*score.test, selection.score) : "-");
  if (several_kernels(selection)) {
    row.insert(row.begin() + 1, selection.kernels[score.point.kernel].description);
  }
  return row;
}

std::vector<std::string> table_head(const ModelSelection& result, const Selection& selection) {
  std::vector<std::string> head{"rank", "method", ridge_name(result.grid), validation_name(result)};
  if (tested(selection)) head.push_back("test");
  if (several_kernels(selection)) head.insert(head.begin() + 1, "kernel");
  return head;
}

// The best point of each group defined by `group_of`, best first.
template <class GroupOf>
TextRows best_of_each(const ModelSelection& result, const Selection& selection,
                      GroupOf&& group_of) {
  TextRows rows{table_head(result, selection)};
  std::vector<decltype(group_of(GridPoint{}))> seen;
  const std::vector<std::size_t> ranking = selection.ranking();
  for (std::size_t k = 0; k < ranking.size(); ++k) {
    const GridScore& score = selection.scores[ranking[k]];
    if (std::find(seen.begin(), seen.end(), group_of(score.point)) != seen.end()) continue;
    seen.push_back(group_of(score.point));
    rows.push_back(ranked_row(fmt::format("{}", k + 1), score, result, selection));
  }
  return rows;
}

}  // namespace

std::string validation_name(const ModelSelection& result) {
  if (result.validation.split) return "validation";
  return result.validation.folds > 0 ? "cross-validation" : "leave-one-out";
}

bool several_kernels(const Selection& selection) { return selection.kernels.size() > 1; }

std::string show_score(double value, Score score) {
  if (std::isnan(value)) return "-";
  const bool share = score != Score::mse && score != Score::r2;
  return share ? fmt::format("{:.2f}%", 100.0 * value) : fmt::format("{:.4g}", value);
}

const char* ridge_name(const Grid& grid) { return grid.betas.empty() ? "ridge" : "beta"; }

std::string show_ridge(const GridPoint& point) {
  return has_ridge(point.family) ? fmt::format("{:g}", ridge_of(point))
                                 : fmt::format("T={}", point.iterations);
}

HeatMap score_map(const ModelSelection& result, const Selection& selection, const GridPoint& shown,
                  const std::string& data) {
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
    map.y_names.push_back(family == Family::polynomial ? describe({family, value}, result.grid)
                                                       : fmt::format("{:.8g}", value));
  }
  for (const double value : seconds) map.x_names.push_back(fmt::format("{:g}", value));
  const auto best = selection.best(wanted);
  if (best) {
    const GridPoint& point = selection.scores[*best].point;
    map.mark = {place(parameters, point.parameter), place(seconds, second(point))};
  }
  const std::string kernel =
      several_kernels(selection) ? selection.kernels[shown.kernel].description + ", " : "";
  const bool mass = best && selection.scores[*best].point.class_mass;
  map.title =
      fmt::format("{}{}{}{}{}: {} {}", data, data.empty() ? "" : ": ", kernel, to_string(family),
                  mass ? ", class mass" : "", validation_name(result), to_string(selection.score));
  map.x_label = !ridge ? "steps T" : result.grid.betas.empty() ? "relative ridge" : "ridge beta";
  map.y_label = family == Family::power        ? "power p"
                : family == Family::top_d      ? "dimension d"
                : family == Family::diffusion  ? "time t"
                : family == Family::polynomial ? to_string(family)
                                               : "eta";
  map.decimals = share ? 1 : 3;
  return map;
}

TextRows left_out_rows(const ModelSelection& result, const Selection& selection) {
  TextRows rows{{"left out", "reason"}};
  for (const TriedKernel& kernel : selection.kernels) {
    if (!kernel.left_out.empty()) {
      rows.push_back({"kernel " + kernel.description, kernel.left_out});
    }
  }
  for (const LeftOut& point : selection.left_out) {
    const std::string name = describe({point.family, point.parameter}, result.grid);
    rows.push_back({several_kernels(selection)
                        ? selection.kernels[point.kernel].description + ", " + name
                        : name,
                    point.reason});
  }
  return rows;
}

const char* tie_break(const Selection& selection) {
  const std::vector<std::size_t> ranking = selection.ranking();
  const auto loss = [&](std::size_t place) { return selection.scores[ranking[place]].loss; };
  const bool by_loss = !selection.ties_by_grid_order && loss(0) < loss(1);
  return by_loss ? "their squared error" : "their order in the grid";
}

TextRows best_points(const ModelSelection& result, const Selection& selection, std::size_t most) {
  const std::vector<std::size_t> ranking = selection.ranking();
  TextRows rows{table_head(result, selection)};
  for (std::size_t k = 0; k < std::min(most, ranking.size()); ++k) {
    rows.push_back(
        ranked_row(fmt::format("{}", k + 1), selection.scores[ranking[k]], result, selection));
  }
  return rows;
}

TextRows best_of_families(const ModelSelection& result, const Selection& selection) {
  return best_of_each(result, selection, [](const GridPoint& point) { return point.family; });
}

TextRows best_of_kernels(const ModelSelection& result, const Selection& selection) {
  return best_of_each(result, selection, [](const GridPoint& point) { return point.kernel; });
}

}  // namespace stkr::report
