#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "stkr/runtime/context.hpp"

namespace stkr {

// Counts the steps of a phase, from any thread, and reports them to a sink: once at the start, then
// at most twenty times per second. Without a sink it costs nothing.
class ProgressCounter {
 public:
  // `phase` and `sink` must outlive the counter.
  ProgressCounter(const ProgressSink& sink, const char* phase, std::int64_t total);
  ProgressCounter(const ProgressCounter&) = delete;
  ProgressCounter& operator=(const ProgressCounter&) = delete;

  void add(std::int64_t steps = 1) {
    if (sink_) count(steps);
  }

 private:
  void count(std::int64_t steps);

  const ProgressSink& sink_;
  Progress progress_;
  std::atomic<std::int64_t> done_ = 0;
  std::mutex mutex_;  // of the rest
  std::chrono::steady_clock::time_point last_;
};

}  // namespace stkr
