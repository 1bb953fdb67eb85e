#include "standard_streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "format/atomic_file.hpp"

namespace stkr::app {
namespace {

bool quiet = false;  // of this process: it has one standard error

// A single write that allocates no memory: memory may be exhausted.
void write_line(const char* kind, std::string_view text) {
  std::fprintf(stderr, "stkr: %s%.*s\n", kind, static_cast<int>(text.size()), text.data());
}

}  // namespace

void reserve_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // This is the lowest free number. Opened read-only, so that printing to a closed stream is
    // still an error.
    static_cast<void>(::open("/dev/null", O_RDONLY));
  }
}

void say(std::string_view text) { write_line("", text); }

void note(std::string_view text) {
  if (!quiet) write_line("note: ", text);
}

void warn(std::string_view text) {
  if (!quiet) write_line("warning: ", text);
}

void keep_quiet() { quiet = true; }

void write_message(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

bool is_terminal(const std::string& output) {
  return output == "/dev/tty" || (output == "/dev/stdout" && isatty(STDOUT_FILENO) != 0);
}

void print_report(const std::string& output, std::string_view text) {
  is_stream(output) ? write_message(text) : fmt::print("{}", text);
}

bool flush_output() {
  std::cout.flush();
  return std::fflush(stdout) == 0 && std::cout.good();
}

}  // namespace stkr::app
