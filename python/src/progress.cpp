#include "progress.hpp"

namespace stkr::python {

namespace py = pybind11;

WatchFunction watch_function(py::object function) {
  if (function.is_none()) return {};
  return {new py::object(std::move(function)), [](const py::object* last) {
            const py::gil_scoped_acquire lock;
            delete last;
          }};
}

ProgressSink ProgressWatch::sink() {
  if (!shown_) return {};
  return [this](const Progress& progress) {
    const std::lock_guard lock(mutex_);
    latest_ = Seen{progress.phase, progress};
  };
}

void ProgressWatch::show() {
  std::optional<Seen> seen;
  {
    const std::lock_guard lock(mutex_);
    seen.swap(latest_);
  }
  if (!seen) return;
  (*shown_)(seen->phase, seen->progress.done, seen->progress.total, seen->progress.fraction());
}

void ProgressWatch::finish() {
  if (!shown_) return;
  try {
    show();
    (*shown_)("", 0, 0, 1.0);
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable("the progress of stkr");
  }
}

}  // namespace stkr::python
