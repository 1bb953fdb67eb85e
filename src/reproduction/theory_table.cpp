#include "reproduction/theory_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/parallel.hpp"
#include "stkr/error.hpp"

namespace stkr {

bool TheoryTable::holds() const {
  const auto held = [](const auto& row) { return row.holds; };
  return std::all_of(rows.begin(), rows.end(), held) &&
         std::all_of(slopes.begin(), slopes.end(), held);
}

double log_log_slope(std::span<const double> x, std::span<const double> y) {
  const bool positive = std::all_of(x.begin(), x.end(), [](double v) { return v > 0.0; }) &&
                        std::all_of(y.begin(), y.end(), [](double v) { return v > 0.0; });
  if (x.size() != y.size() || x.size() < 2 || !positive) {
    throw ValueError(
        fmt::format("slope: {} and {} values; expected the same number, at least 2, all above 0",
                    x.size(), y.size()));
  }
  const double count = static_cast<double>(x.size());
  double mean_x = 0.0, mean_y = 0.0, xx = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / count;
    mean_y += std::log(y[i]) / count;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double from = std::log(x[i]) - mean_x;
    xx += from * from;
    xy += from * (std::log(y[i]) - mean_y);
  }
  return xy / xx;
}

namespace {

// The standard error of log_log_slope, with the relative standard errors of y.
double slope_error(const std::vector<double>& x, const std::vector<double>& relative) {
  double mean = 0.0, xx = 0.0, variance = 0.0;
  for (const double value : x) mean += std::log(value) / static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double from = std::log(x[i]) - mean;
    xx += from * from;
    variance += from * from * relative[i] * relative[i];
  }
  return std::sqrt(variance) / xx;
}

}  // namespace

TheorySlope slope_of(const TheoryTable& table, const std::string& series,
                     std::optional<double> predicted, double tolerance) {
  std::vector<double> at, measured, errors, bounds;
  for (const TheoryRow& row : table.rows) {
    if (row.series != series || !row.at) continue;
    at.push_back(*row.at);
    measured.push_back(row.measured);
    errors.push_back(row.error.value_or(0.0) / row.measured);
    if (row.bound) bounds.push_back(*row.bound);
  }
  TheorySlope slope{.series = series, .measured = log_log_slope(at, measured)};
  slope.error = slope_error(at, errors);
  if (bounds.size() == at.size()) slope.bound = log_log_slope(at, bounds);
  if (predicted) {
    slope.predicted = predicted;
    slope.tolerance = tolerance;
    slope.holds = std::abs(slope.measured - *predicted) <= tolerance + 2.0 * slope.error;
  }
  return slope;
}

void add_slope(TheoryTable& table, const std::string& series, std::optional<double> predicted,
               double tolerance) {
  const auto points =
      std::count_if(table.rows.begin(), table.rows.end(),
                    [&](const TheoryRow& row) { return row.series == series && row.at; });
  if (points > 1) table.slopes.push_back(slope_of(table, series, predicted, tolerance));
}

TheoryMean mean_of(const std::vector<double>& values) {
  const double count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, values.size() < 2 ? 0.0 : std::sqrt(squares / (count - 1.0) / count)};
}

void repeat(int repetitions, int threads, const std::function<void(std::size_t)>& body) {
  parallel_tasks(repetitions, resolve_threads(threads),
                 [&](Index task) { body(static_cast<std::size_t>(task)); });
}

}  // namespace stkr
