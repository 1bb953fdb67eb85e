#include "reproduction/seed_warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stkr {
namespace {

constexpr std::size_t kMostListed = 10;

std::string without_numbers(const std::string& text) {
  std::string pattern;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit || pattern.empty() || pattern.back() != '#') pattern += digit ? '#' : c;
  }
  return pattern;
}

}  // namespace

void SeedWarnings::add(std::string_view dataset, const std::string& warning, std::uint64_t seed) {
  const std::string text = fmt::format("{}: {}", dataset, warning);
  Alike& alike = alike_[without_numbers(text)];
  if (alike.first.empty()) alike.first = text;
  alike.other_numbers |= text != alike.first;
  alike.seeds.insert(seed);
}

std::vector<std::string> SeedWarnings::texts(std::size_t seeds) const {
  std::vector<std::string> texts;
  for (const auto& [pattern, alike] : alike_) {
    const std::size_t count = alike.seeds.size();
    const std::string where = count == seeds        ? "every seed"
                              : count > kMostListed ? fmt::format("{} of {} seeds", count, seeds)
                                                    : fmt::format("seed{} {}", count > 1 ? "s" : "",
                                                                  fmt::join(alike.seeds, ", "));
    texts.push_back(fmt::format("{} ({}{})", alike.first, where,
                                alike.other_numbers ? "; the numbers vary" : ""));
  }
  return texts;
}

}  // namespace stkr
