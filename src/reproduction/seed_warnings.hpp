#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace stkr {

// Merges warnings that differ only in the seed and in numbers: a hundred seeds say hardly more than
// the first.
class SeedWarnings {
 public:
  void add(std::string_view dataset, const std::string& warning, std::uint64_t seed);

  // One text per kind of warning, with the seeds that have it, out of `seeds`.
  std::vector<std::string> texts(std::size_t seeds) const;

 private:
  struct Alike {
    std::string first;
    bool other_numbers = false;
    std::set<std::uint64_t> seeds;
  };
  std::map<std::string, Alike> alike_;  // by the text without its numbers
};

}  // namespace stkr
