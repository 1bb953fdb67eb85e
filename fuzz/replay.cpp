// Runs targets on files without libFuzzer, in every build and with its sanitizers.
// Usage: fuzz_replay FOLDER...      each contains folders named after targets, with files in them

#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include "target.hpp"

int main(int argc, char** argv) {
  int files = 0;
  for (int k = 1; k < argc; ++k) {
    for (const auto& target : stkr::fuzz::all_targets()) {
      const std::filesystem::path folder = std::filesystem::path(argv[k]) / target.name;
      if (!std::filesystem::is_directory(folder)) continue;
      for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream in(entry.path(), std::ios::binary);
        const std::vector<char> content{std::istreambuf_iterator<char>(in), {}};
        // Printed before the run, so that a crash can be attributed to its file.
        std::printf("%s\n", entry.path().c_str());
        std::fflush(stdout);
        target.run({reinterpret_cast<const std::uint8_t*>(content.data()), content.size()});
        ++files;
      }
    }
  }
  std::printf("%d files without failure\n", files);
  return files > 0 ? 0 : 1;
}
