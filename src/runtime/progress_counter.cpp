#include "runtime/progress_counter.hpp"

namespace stkr {

ProgressCounter::ProgressCounter(const ProgressSink& sink, const char* phase, std::int64_t total)
    : sink_(sink), progress_{.phase = phase, .total = total} {
  if (!sink_) return;
  last_ = std::chrono::steady_clock::now();
  sink_(progress_);
}

void ProgressCounter::count(std::int64_t steps) {
  done_ += steps;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;  // another thread reports
  const auto now = std::chrono::steady_clock::now();
  const std::int64_t done = done_;
  if (done < progress_.total && now - last_ < std::chrono::milliseconds(50)) return;
  last_ = now;
  progress_.done = done;
  sink_(progress_);
}

}  // namespace stkr
