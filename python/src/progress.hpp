#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "stkr/runtime/context.hpp"

namespace stkr::python {

// A Python function that is called with phase, done, total and fraction, and at the end with an
// empty phase; null: none. Copies may be made without the GIL.
using WatchFunction = std::shared_ptr<const pybind11::object>;
WatchFunction watch_function(pybind11::object function);  // None: null

// The latest progress of a computation on other threads, for a Python function that is called on
// the thread of the caller.
class ProgressWatch {
 public:
  explicit ProgressWatch(WatchFunction shown) : shown_(std::move(shown)) {}

  // For Context::progress; empty if nothing is shown. Must not outlive this.
  ProgressSink sink();

  // Calls the function if there is something new. The caller holds the GIL.
  void show();
  void finish();  // the last call; errors of the function are ignored

 private:
  struct Seen {
    std::string phase;
    Progress progress;
  };
  WatchFunction shown_;
  std::mutex mutex_;
  std::optional<Seen> latest_;  // since the last show()
};

}  // namespace stkr::python
