#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
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

// Shows how far a run has come, on stderr. On a terminal a line with a bar, a rate and the time
// left appears if the run takes more than a moment, and is erased at the end. With
// Verbosity::verbose the time of every phase is written when it ends, on any stderr. May be called
// from several threads.
class ProgressBar {
 public:
  ProgressBar(Verbosity verbosity, bool json);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  bool shows() const { return draws_ || logs_; }
  void update(const Progress& progress);
  // For work whose remaining time is known in seconds; negative: not shown.
  void show(std::string_view what, double fraction, double seconds_left);
  // Ends the phase and erases the line.
  void clear();

 private:
  void begin_phase(std::string_view phase);
  void end_phase();
  void erase();
  void draw(std::string_view what, double fraction, const std::vector<std::string>& details);

  using Clock = std::chrono::steady_clock;
  std::mutex mutex_;
  bool draws_;
  bool logs_;
  bool drawn_ = false;
  std::string phase_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point phase_start_ = start_;
  Clock::time_point last_ = start_;
};

}  // namespace stkr::app
