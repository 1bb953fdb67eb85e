#include "console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "format/utf8.hpp"
#include "standard_streams.hpp"

namespace stkr::app {
namespace {

// Number of displayed characters: bytes that do not continue a UTF-8 sequence.
std::size_t display_width(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

std::string padded(std::string_view text, std::size_t width, bool right) {
  const std::size_t have = display_width(text);
  const std::size_t space = width > have ? width - have : 0;
  std::string result(right ? space : 0, ' ');
  result.append(text);
  result.append(right ? 0 : space, ' ');
  return result;
}

constexpr int kBarWidth = 24;

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

ProgressBar::ProgressBar(double tolerance, bool enabled)
    : tolerance_(tolerance), enabled_(enabled && isatty(STDERR_FILENO)) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::update(const Progress& progress) {
  if (!enabled_) return;
  const double residual = std::clamp(progress.worst_residual, 1e-300, 1.0);
  const double fraction = std::clamp(std::log(residual) / std::log(tolerance_), 0.0, 1.0);
  draw(progress.solver, fraction, kBarWidth,
       fmt::format("  step {}  residual {:.1e}", progress.iteration, progress.worst_residual),
       seconds_left(fraction));
}

void ProgressBar::update(std::string_view what, long done, long total) {
  if (!enabled_) return;
  const double fraction = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0.0;
  draw(what, fraction, kBarWidth, fmt::format("  {} of {}", done, total), seconds_left(fraction));
}

void ProgressBar::show(std::string_view what, double fraction, double left) {
  if (enabled_) draw(what, std::clamp(fraction, 0.0, 1.0), kBarWidth / 2, "", left);
}

double ProgressBar::seconds_left(double fraction) const {
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  return fraction > 0.02 ? elapsed * (1.0 - fraction) / fraction : -1.0;
}

void ProgressBar::draw(std::string_view what, double fraction, int width, std::string_view detail,
                       double left) {
  const auto now = Clock::now();
  if (last_ != Clock::time_point::min() && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  const int filled = static_cast<int>(fraction * width);
  write_message(
      fmt::format("\r{:<11} [{}{}] {:>3.0f}%{}{}\033[K", what, std::string(filled, '#'),
                  std::string(width - filled, '.'), 100.0 * fraction, detail,
                  left >= 0.0 ? fmt::format("  about {} left", rough_duration(left)) : ""));
}

void ProgressBar::clear() {
  if (drawn_) write_message("\r\033[K");
  drawn_ = false;
}

}  // namespace stkr::app
