#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "stkr/runtime/device.hpp"

namespace stkr {

class SavedState;  // linop/saved_state

// How far a phase of a long computation has come.
struct Progress {
  const char* phase = "";  // what runs: "neighbors", "cg"
  std::int64_t done = 0;   // steps
  std::int64_t total = 0;  // of them; for an iterative solver the most; 0: unknown
  // Of iterative solvers:
  double worst_residual = 0.0;  // largest over the columns that still run
  std::int64_t columns_left = 0;
  double tolerance = 0.0;  // the phase ends if worst_residual is this small; 0: not iterative
  bool bytes = false;      // the steps are bytes of a file

  // The share of the phase that is done, from 0 to 1. Residuals count by their logarithm.
  double fraction() const;
};

// Receives progress, possibly from several threads at once. It must not throw.
using ProgressSink = std::function<void(const Progress&)>;

// Where and how a computation runs, as opposed to what it computes: passed by reference beside the
// options of each function. Results depend on the seed only, never on the number of threads.
//
//   stkr::Context context{.threads = 4, .seed = 7};
//   context.progress = [](const stkr::Progress& p) { std::printf("%s\n", p.phase); };
//   const auto pairs = stkr::top_eigenpairs(op, 10, {}, context);
struct Context {
  // First, so that no number in braces meant for another argument converts to a context.
  ProgressSink progress{};
  int threads = 0;         // 0: all that this process may use (runtime/thread_count)
  std::uint64_t seed = 1;  // of everything random
  // A request to stop: solvers return what they have, everything else throws Cancelled.
  std::stop_token cancel{};
  SavedState* saved = nullptr;  // where a long run saves its state; must outlive the run
  std::uint64_t memory = 0;     // bytes that the process may use; 0: no limit (plan/plan)
  Device device{};              // what runs the products

  // The same for a computation inside another: it saves no state.
  Context inner() const;

  // Throws Cancelled if a stop is requested.
  void check_cancelled() const;
};

// For code that holds nothing but the token.
void throw_if_cancelled(const std::stop_token& cancel);

}  // namespace stkr
