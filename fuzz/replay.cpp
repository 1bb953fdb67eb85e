// Runs targets over files, without libFuzzer: in every build, under whatever sanitizers it has.
// Usage: fuzz_replay FOLDER...      each with folders named after targets, and files in these

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
        // Before the run, so that a crash is known by its file.
        std::printf("%s\n", entry.path().c_str());
        std::fflush(stdout);
        target.run({reinterpret_cast<const std::uint8_t*>(content.data()), content.size()});
        ++files;
      }
    }
  }
  std::printf("%d files, none did harm\n", files);
  return files > 0 ? 0 : 1;
}
