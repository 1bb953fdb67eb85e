#include "theory_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "console.hpp"
#include "report/line_plot.hpp"
#include "stkr/version.hpp"

namespace stkr::app {

using nlohmann::json;

namespace {

std::string number_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.3g}", *value) : "";
}

std::string rows_text(const TheoryTable& table) {
  const auto any = [&](auto member) {
    return std::any_of(table.rows.begin(), table.rows.end(),
                       [&](const TheoryRow& row) { return (row.*member).has_value(); });
  };
  const bool at = any(&TheoryRow::at), error = any(&TheoryRow::error),
             predicted = any(&TheoryRow::predicted);
  std::vector<std::vector<std::string>> cells{{"case"}};
  if (at) cells[0].push_back(table.at_name);
  cells[0].push_back(table.measured_name);
  if (error) cells[0].emplace_back("± s.e.");
  if (predicted) cells[0].push_back(table.predicted_name);
  cells[0].push_back(table.bound_name);
  cells[0].emplace_back("holds");
  for (const TheoryRow& row : table.rows) {
    std::vector<std::string> line{row.series};
    if (at) line.push_back(row.at ? fmt::format("{:g}", *row.at) : "");
    line.push_back(number_text(row.measured));
    if (error) line.push_back(number_text(row.error));
    if (predicted) line.push_back(number_text(row.predicted));
    line.push_back(number_text(row.bound));
    line.push_back(row.frequency ? fmt::format("{:.0f}%", 100.0 * *row.frequency)
                   : row.holds   ? "yes"
                                 : "no");
    cells.push_back(std::move(line));
  }
  return format_table(cells);
}

std::string slopes_text(const TheoryTable& table) {
  if (table.slopes.empty()) return "";
  std::vector<std::vector<std::string>> cells{
      {"slope of", "measured", "± s.e.", "predicted", "tolerance", "of the bound", "holds"}};
  for (const TheorySlope& slope : table.slopes) {
    const auto text = [](const std::optional<double>& value) {
      return value ? fmt::format("{:.2f}", *value) : std::string();
    };
    cells.push_back({slope.series, text(slope.measured), text(slope.error), text(slope.predicted),
                     text(slope.tolerance), text(slope.bound), slope.holds ? "yes" : "no"});
  }
  return "\n" + format_table(cells);
}

json optional_json(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

}  // namespace

bool TheoryReport::holds() const {
  return std::all_of(tables.begin(), tables.end(),
                     [](const TheoryTable& table) { return table.holds(); });
}

std::string theory_text(const TheoryReport& report) {
  std::string text;
  for (const TheoryTable& table : report.tables) {
    text += fmt::format("{}\n\n{}{}", table.title, rows_text(table), slopes_text(table));
    for (const std::string& note : table.notes) text += note + "\n";
    text += "\n";
  }
  const auto held = std::count_if(report.tables.begin(), report.tables.end(),
                                  [](const TheoryTable& table) { return table.holds(); });
  return text + fmt::format(
                    "{} of {} statements hold; {} repetitions, seed {}, δ = {:g}, in {}\n"
                    "holds: the share of repetitions in which the bound holds; promised {:.0f}%\n",
                    held, report.tables.size(), report.repetitions, report.seed, report.delta,
                    rough_duration(report.seconds), 100.0 * (1.0 - report.delta));
}

json theory_json(const TheoryReport& report) {
  json document{{"version", kVersion},       {"repetitions", report.repetitions},
                {"seed", report.seed},       {"delta", report.delta},
                {"seconds", report.seconds}, {"holds", report.holds()},
                {"tables", json::array()}};
  for (const TheoryTable& table : report.tables) {
    json rows = json::array(), slopes = json::array();
    for (const TheoryRow& row : table.rows) {
      rows.push_back({{"case", row.series},
                      {"at", optional_json(row.at)},
                      {"measured", row.measured},
                      {"standard_error", optional_json(row.error)},
                      {"predicted", optional_json(row.predicted)},
                      {"bound", optional_json(row.bound)},
                      {"frequency", optional_json(row.frequency)},
                      {"holds", row.holds}});
    }
    for (const TheorySlope& slope : table.slopes) {
      slopes.push_back({{"case", slope.series},
                        {"measured", slope.measured},
                        {"standard_error", slope.error},
                        {"predicted", optional_json(slope.predicted)},
                        {"tolerance", optional_json(slope.tolerance)},
                        {"of_bound", optional_json(slope.bound)},
                        {"holds", slope.holds}});
    }
    document["tables"].push_back({{"name", table.name},
                                  {"title", table.title},
                                  {"at", table.at_name},
                                  {"measured", table.measured_name},
                                  {"predicted", table.predicted_name},
                                  {"rows", std::move(rows)},
                                  {"slopes", std::move(slopes)},
                                  {"notes", table.notes},
                                  {"holds", table.holds()}});
  }
  return document;
}

std::string theory_figure(const TheoryTable& table) {
  report::LinePlot plot{.title = table.title.substr(0, table.title.find(": ")),
                        .x_label = table.at_name,
                        .y_label = table.measured_name,
                        .log_x = true,
                        .log_y = true,
                        .key_in_rows = true};
  std::vector<report::PlotSeries> bounds;
  for (const TheoryRow& row : table.rows) {
    if (!row.at) continue;
    if (plot.series.empty() || plot.series.back().name != row.series) {
      plot.series.push_back({.name = row.series});
      bounds.push_back(
          {.name = row.series + ": " + table.bound_name, .markers = false, .dashed = true});
    }
    plot.series.back().x.push_back(*row.at);
    plot.series.back().y.push_back(row.measured);
    plot.series.back().error.push_back(row.error.value_or(0.0));
    if (!row.bound) continue;
    bounds.back().x.push_back(*row.at);
    bounds.back().y.push_back(*row.bound);
  }
  if (plot.series.empty()) return "";
  plot.series.insert(plot.series.end(), bounds.begin(), bounds.end());
  return report::render_svg(plot);
}

}  // namespace stkr::app
