#include "interrupt.hpp"

#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>

#include "command.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"

namespace stkr::app {
namespace {

// A signal handler may use little else.
sem_t first_signal;
volatile std::sig_atomic_t signals_seen = 0;

std::atomic<int> ends_at_once = 0;  // number of EndsAtOnce objects

void handle_signal(int) {
  if (signals_seen != 0) _exit(kInterrupted);
  signals_seen = 1;
  sem_post(&first_signal);
}

// Uses handlers instead of blocked signals and sigwait: the threads that OpenBLAS starts before
// main would receive a signal that only our threads block, and end the process.
std::stop_source start_watching() {
  std::stop_source source;
  sem_init(&first_signal, 0, 0);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;  // set by nohup and for background jobs
    action.sa_handler = handle_signal;
    action.sa_flags = 0;  // no SA_RESTART: opening a pipe without a writer must end too
    sigaction(signal, &action, nullptr);
  }
  const auto watch = [source]() mutable {
    while (sem_wait(&first_signal) != 0 && errno == EINTR) {
    }
    source.request_stop();  // first: a new EndsAtOnce then sees at least one of the two
    if (ends_at_once > 0) {
      say(kInterruptedMessage);
      _exit(kInterrupted);
    }
  };
  try {
    std::thread(watch).detach();
  } catch (const std::system_error&) {
    signals_seen = 1;  // nothing can request a stop: the first signal ends the process
  }
  return source;
}

}  // namespace

std::stop_token interrupt_token() {
  static const std::stop_source source = start_watching();
  return source.get_token();
}

EndsAtOnce::EndsAtOnce() {
  ++ends_at_once;
  if (!interrupt_token().stop_requested()) return;
  --ends_at_once;
  throw Cancelled("interrupted");
}

EndsAtOnce::~EndsAtOnce() { --ends_at_once; }

}  // namespace stkr::app
