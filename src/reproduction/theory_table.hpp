#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stkr/matrix.hpp"

namespace stkr {

// One measurement of an experiment on the paper's theory, beside what the paper says about it.
struct TheoryRow {
  std::string series;                 // "circle, s = λ²"
  std::optional<double> at{};         // the number of samples
  double measured = 0.0;              // a mean over repetitions
  std::optional<double> error{};      // its standard error
  std::optional<double> predicted{};  // in closed form, or estimated from the data (cross-fit)
  std::optional<double> bound{};      // a mean over repetitions
  std::optional<double> frequency{};  // of repetitions in which the bound holds
  bool holds = true;                  // at least as often as promised; or equal, if predicted
};

// The slope of a series in log-log scale.
struct TheorySlope {
  std::string series;
  double measured = 0.0;
  double error = 0.0;  // standard error, from those of the rows
  std::optional<double> predicted{};
  std::optional<double> tolerance{};  // beyond two standard errors
  std::optional<double> bound{};      // the slope of the bound
  bool holds = true;
};

struct TheoryTable {
  std::string name;              // for files: "approximation"
  std::string title;             // "Theorem 3 (thm:approx): ..."
  std::string at_name{};         // "n + m"
  std::string measured_name{};   // "‖f̂ - f̃‖²_P"
  std::string predicted_name{};  // empty: no column
  std::string bound_name = "bound";
  std::vector<TheoryRow> rows{};
  std::vector<TheorySlope> slopes{};
  std::vector<std::string> notes{};

  bool holds() const;
};

// Least squares of log y on log x. Throws ValueError for fewer than two points or values ≤ 0.
double log_log_slope(std::span<const double> x, std::span<const double> y);

// The slopes of measured values and of bounds of one series, compared with `predicted`.
TheorySlope slope_of(const TheoryTable& table, const std::string& series,
                     std::optional<double> predicted, double tolerance);

// Adds it to the table, if the series has at least two points.
void add_slope(TheoryTable& table, const std::string& series, std::optional<double> predicted,
               double tolerance);

struct TheoryMean {
  double mean = 0.0;
  double error = 0.0;  // standard error
};
TheoryMean mean_of(const std::vector<double>& values);

// Runs body(repetition) for all repetitions on several threads, in any order.
void repeat(int repetitions, int threads, const std::function<void(std::size_t)>& body);

}  // namespace stkr
