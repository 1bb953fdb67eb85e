#include "gnuplot.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "stkr/error.hpp"

extern char** environ;

namespace stkr::app {
namespace {

[[noreturn]] void fail(const char* doing, int error) {
  throw WriteError(fmt::format("cannot run gnuplot: {} ({})", std::strerror(error), doing));
}

// A file in memory. The child reads the script from one and writes into others, so no process waits
// for a pipe, and no pipe can break.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : descriptor_(::memfd_create(name, MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail("memfd_create", errno);
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }

  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail("passing the script", errno);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    ::lseek(descriptor_, 0, SEEK_SET);
  }

  std::string content() const {
    std::string text;
    std::array<char, 1 << 14> part;
    ::lseek(descriptor_, 0, SEEK_SET);
    for (;;) {
      const ssize_t count = ::read(descriptor_, part.data(), part.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail("reading what it wrote", errno);
      if (count == 0) return text;
      text.append(part.data(), static_cast<std::size_t>(count));
    }
  }

 private:
  int descriptor_;
};

struct ChildResult {
  bool success = false;
  std::string output;
  std::string errors;
};

// Returns nullopt if gnuplot is not installed.
std::optional<ChildResult> spawn_gnuplot(const char* option, std::string_view input) {
  MemoryFile in("script");
  MemoryFile out("picture");
  MemoryFile err("errors");
  in.write(input);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
  std::array<char*, 3> arguments = {const_cast<char*>("gnuplot"), const_cast<char*>(option),
                                    nullptr};
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, "gnuplot", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT || error == EACCES || error == ENOTDIR) return std::nullopt;
  if (error != 0) fail("starting it", error);

  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) fail("waiting for it", errno);
  }
  // On some systems only the child finds that the program is missing.
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return std::nullopt;
  return ChildResult{.success = WIFEXITED(status) && WEXITSTATUS(status) == 0,
                     .output = out.content(),
                     .errors = err.content()};
}

}  // namespace

bool gnuplot_available() {
  const auto result = spawn_gnuplot("--version", "");
  return result && result->success;
}

std::string run_gnuplot(const std::string& script) {
  auto result = spawn_gnuplot("-d", script);
  if (!result) {
    throw WriteError(
        "gnuplot not found: install it (Debian: apt-get install gnuplot-nox) or omit "
        "--html/--plot");
  }
  if (!result->success) {
    std::string words = result->errors;
    while (!words.empty() && std::strchr(" \n", words.back()) != nullptr) words.pop_back();
    throw WriteError(fmt::format("gnuplot failed: {}", words.empty() ? "no error message" : words));
  }
  return std::move(result->output);
}

// Inside double quotes gnuplot knows octal escapes, used here for quotes, backslashes and
// backticks, which would run a command. (Single quotes would need no escapes, but gnuplot 5.4
// misreads a doubled one at the start.) Control characters would end the line; invalid UTF-8 would
// make the SVG unreadable.
std::string gnuplot_text(std::string_view text) {
  using nlohmann::json;
  const std::string utf8 =
      json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace))
          .get<std::string>();
  std::string quoted = "\"";
  for (const char c : utf8) {
    if (c == '"' || c == '\\' || c == '`') {
      quoted += fmt::format("\\{:03o}", static_cast<int>(c));
    } else {
      quoted += (c >= 0 && c < ' ') || c == 0x7f ? ' ' : c;
    }
  }
  return quoted + "\"";
}

std::string gnuplot_tick(std::string_view text) {
  std::string doubled;
  for (const char c : text) {
    if (c == '%') doubled += '%';
    doubled += c;
  }
  return gnuplot_text(doubled);
}

std::string gnuplot_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "NaN";
}

std::string gnuplot_preamble(int width, int height, std::string_view title,
                             std::string_view x_label, std::string_view y_label) {
  return fmt::format(
      "set terminal svg size {0},{1} noenhanced font 'sans-serif,13' rounded\n"
      "set encoding utf8\n"
      "set title {3} textcolor rgb '{2}' font 'sans-serif,15'\n"
      "set xlabel {4} textcolor rgb '{2}'\n"
      "set ylabel {5} textcolor rgb '{2}'\n"
      "set tics textcolor rgb '{2}' nomirror\n"
      "set key textcolor rgb '{2}'\n",
      width, height, kInk, gnuplot_text(title), gnuplot_text(x_label), gnuplot_text(y_label));
}

}  // namespace stkr::app
