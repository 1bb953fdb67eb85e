#include "console.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "format/utf8.hpp"
#include "runtime/memory.hpp"
#include "standard_streams.hpp"

namespace stkr::app {
namespace {

// Number of displayed characters: bytes that do not continue a UTF-8 sequence. Those that begin
// with 0xCC are marks on the character before, as in f̂.
std::size_t display_width(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (c & 0xC0) != 0x80 && c != '\xCC'; });
}

std::string padded(std::string_view text, std::size_t width, bool right) {
  const std::size_t have = display_width(text);
  const std::size_t space = width > have ? width - have : 0;
  std::string result(right ? space : 0, ' ');
  result.append(text);
  result.append(right ? 0 : space, ' ');
  return result;
}

constexpr int kBarWidth = 20;
constexpr int kPhaseWidth = 18;
constexpr auto kAppearsAfter = std::chrono::milliseconds(500);
constexpr auto kRedrawsAfter = std::chrono::milliseconds(100);

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::size_t terminal_columns() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

bool numeric(std::string_view cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.,-+e%() s") == std::string_view::npos;
}

}  // namespace

std::string format_table(const std::vector<std::vector<std::string>>& cells) {
  std::vector<std::vector<std::string>> rows = cells;
  for (auto& row : rows) {
    for (std::string& cell : row) cell = printable(cell);
  }
  std::vector<std::size_t> width;
  std::vector<char> right;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      if (c >= width.size()) {
        width.push_back(0);
        right.push_back(1);
      }
      width[c] = std::max(width[c], display_width(rows[r][c]));
      if (r > 0 && !rows[r][c].empty() && !numeric(rows[r][c])) right[c] = 0;
    }
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      if (c > 0) line += "  ";
      line += padded(rows[r][c], width[c], right[c]);
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    text += line + "\n";
    if (r == 0) {
      for (std::size_t c = 0; c < width.size(); ++c) {
        text += (c > 0 ? "  " : "") + std::string(width[c], '-');
      }
      text += "\n";
    }
  }
  return text;
}

std::string format_fields(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::size_t width = 0;
  for (const auto& [label, value] : fields) width = std::max(width, display_width(label));
  std::string text;
  for (const auto& [label, value] : fields) {
    text += padded(label, width + 2, false) + printable(value) + "\n";
  }
  return text;
}

std::string rough_duration(double seconds) {
  if (seconds < 90.0) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

std::string with_commas(long long value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t left = digits.size() - i;
    if (i > 0 && left % 3 == 0 && digits[i - 1] != '-') text += ',';
    text += digits[i];
  }
  return text;
}

ProgressBar::ProgressBar(Verbosity verbosity, bool json)
    : draws_(verbosity != Verbosity::quiet && !json && isatty(STDERR_FILENO)),
      logs_(verbosity == Verbosity::verbose) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::update(const Progress& progress) {
  if (!shows()) return;
  const std::lock_guard lock(mutex_);
  if (progress.phase != phase_) begin_phase(progress.phase);
  const double fraction = progress.fraction();
  const double elapsed = seconds_since(phase_start_);
  const double rate = elapsed > 0.0 ? static_cast<double>(progress.done) / elapsed : 0.0;
  std::vector<std::string> details;
  if (progress.tolerance > 0.0) {
    details.push_back(
        fmt::format("step {}, residual {:.1e}", progress.done, progress.worst_residual));
  } else if (progress.bytes) {
    details.push_back(fmt::format("{}/s", format_bytes(static_cast<std::uint64_t>(rate))));
  } else if (progress.total > 0) {
    details.push_back(
        fmt::format("{} of {}", with_commas(progress.done), with_commas(progress.total)));
    if (rate >= 10.0) details.push_back(with_commas(std::llround(rate)) + "/s");
  }
  if (fraction > 0.02 && elapsed > 1.0) {
    details.push_back(
        fmt::format("about {} left", rough_duration(elapsed * (1.0 - fraction) / fraction)));
  }
  draw(progress.phase, fraction, details);
}

void ProgressBar::show(std::string_view what, double fraction, double left) {
  if (!shows()) return;
  const std::lock_guard lock(mutex_);
  if (what != phase_) begin_phase(what);
  draw(what, std::clamp(fraction, 0.0, 1.0),
       left >= 0.0 ? std::vector{fmt::format("about {} left", rough_duration(left))}
                   : std::vector<std::string>());
}

void ProgressBar::begin_phase(std::string_view phase) {
  end_phase();
  phase_ = phase;
  phase_start_ = Clock::now();
}

void ProgressBar::end_phase() {
  if (logs_ && !phase_.empty()) {
    erase();
    say(fmt::format("{}: {:.2f} s", printable(phase_), seconds_since(phase_start_)));
  }
  phase_.clear();
}

// As many details as fit into a line.
void ProgressBar::draw(std::string_view what, double fraction,
                       const std::vector<std::string>& details) {
  const auto now = Clock::now();
  if (!draws_ || now - start_ < kAppearsAfter || now - last_ < kRedrawsAfter) return;
  last_ = now;
  drawn_ = true;
  const int filled = static_cast<int>(fraction * kBarWidth);
  std::string line =
      fmt::format("{} [{}{}] {:>3.0f}%", padded(printable(what), kPhaseWidth, false),
                  std::string(filled, '#'), std::string(kBarWidth - filled, '.'), 100.0 * fraction);
  const std::size_t columns = terminal_columns();
  for (const std::string& detail : details) {
    if (display_width(line) + 2 + display_width(detail) < columns) line += "  " + detail;
  }
  write_message("\r" + line + "\033[K");
}

void ProgressBar::erase() {
  if (drawn_) write_message("\r\033[K");
  drawn_ = false;
}

void ProgressBar::clear() {
  const std::lock_guard lock(mutex_);
  end_phase();
  erase();
}

}  // namespace stkr::app
