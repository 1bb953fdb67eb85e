#include "interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <thread>

#include "command.hpp"

namespace stkr::app {
namespace {

std::stop_source start_watching() {
  std::stop_source source;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals, source]() mutable {
    int signal = 0;
    sigwait(&signals, &signal);
    source.request_stop();
    sigwait(&signals, &signal);
    _exit(kInterrupted);
  }).detach();
  return source;
}

}  // namespace

std::stop_token interrupt_token() {
  static const std::stop_source source = start_watching();
  return source.get_token();
}

}  // namespace stkr::app
