#include "suggestion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr std::size_t kLongest = 100;  // longer names are only compared, not measured

std::string folded(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_' || c == ' ') c = '-';
  }
  return result;
}

// The optimal string alignment distance: insertions, deletions, replacements and exchanges of
// neighbors, none of them edited twice.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> closest(std::string_view text, std::span<const std::string> candidates) {
  const std::string wanted = folded(text);
  std::optional<std::string> best;
  std::size_t least = 0;
  for (const std::string& candidate : candidates) {
    const std::string name = folded(candidate);
    if (name == wanted) return candidate;
    const auto [shorter, longer] = std::minmax({name.size(), wanted.size()});
    const std::size_t limit = std::min<std::size_t>(longer / 3, 3);
    if (longer > kLongest || longer - shorter > limit) continue;
    const std::size_t distance = edit_distance(wanted, name);
    if (distance > limit || (best && distance >= least)) continue;
    best = candidate;
    least = distance;
  }
  return best;
}

std::optional<std::string> same_name(std::string_view text,
                                     std::span<const std::string> candidates) {
  const auto hyphen = [](char c) { return c == '_' ? '-' : c; };
  for (const std::string& candidate : candidates) {
    const bool same = std::equal(text.begin(), text.end(), candidate.begin(), candidate.end(),
                                 [&](char a, char b) { return hyphen(a) == hyphen(b); });
    if (same) return candidate;
  }
  return std::nullopt;
}

std::string suggestion(std::string_view text, std::span<const std::string> candidates,
                       std::string_view prefix) {
  const std::optional<std::string> name = closest(text, candidates);
  return name ? fmt::format("; did you mean {}{}?", prefix, *name) : "";
}

std::string unknown_name(std::string_view text, std::span<const std::string> candidates) {
  return fmt::format("'{}' is unknown; expected {}{}{}", text,
                     candidates.size() > 1 ? "one of " : "", fmt::join(candidates, ", "),
                     suggestion(text, candidates));
}

std::string known_name(std::string_view text, std::span<const std::string> candidates,
                       std::string_view what) {
  if (auto name = same_name(text, candidates)) return *std::move(name);
  throw ParameterError(fmt::format("{} {}", what, unknown_name(text, candidates)));
}

}  // namespace stkr
