#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "stkr/runtime/context.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr::app {

// Columns as wide as their widest cell; the first left-aligned, the rest right-aligned unless they
// are text. The first row is the header. Cells, and values below, are made printable.
std::string format_table(const std::vector<std::vector<std::string>>& rows);

// "label      value" lines with aligned values.
std::string format_fields(const std::vector<std::pair<std::string, std::string>>& fields);

// "42 s", "3 min", "2.5 h".
std::string rough_duration(double seconds);

// 1234567 as "1,234,567".
std::string with_commas(long long value);

// A bar on stderr with residual, rate and time left, when stderr is a terminal; silent otherwise.
// An iterative solver's progress is measured on the logarithm of its residual.
class ProgressBar {
 public:
  ProgressBar(double tolerance, bool enabled);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(const Progress& progress);
  // For work counted in steps.
  void update(std::string_view what, long done, long total);
  // For work whose remaining time is known in seconds; negative: not shown.
  void show(std::string_view what, double fraction, double seconds_left);
  void clear();

 private:
  void draw(std::string_view what, double fraction, int width, std::string_view detail,
            double seconds_left);
  double seconds_left(double fraction) const;  // at the current rate; negative: too early

  using Clock = std::chrono::steady_clock;
  double tolerance_;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = Clock::time_point::min();
};

}  // namespace stkr::app
