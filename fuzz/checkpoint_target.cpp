#include <cstdlib>

#include "reproduction/checkpoint.hpp"
#include "reproduction/checkpoint_line.hpp"
#include "reproduction/experiment.hpp"
#include "stkr/error.hpp"
#include "target.hpp"

namespace stkr::fuzz {

void run_checkpoint(Bytes input) {
  read_file(scratch_file("input.jsonl", input), [](const std::filesystem::path& file) {
    Checkpoint cells(file, "run");
    for (const char* key : {"key", "other"}) {
      const auto found = cells.find(key);
      if (!found) continue;
      try {
        experiment_from_json(*found);
      } catch (const ValueError&) {
        // Reported, and computed again.
      }
    }
    // A new result is found, whatever the file contained.
    cells.store("new", "[1]");
    if (Checkpoint(file, "run").find("new") != "[1]") std::abort();
  });
  // A line by itself, without a file.
  std::string problem;
  const auto cell = detail::parse_checkpoint_line(
      {reinterpret_cast<const char*>(input.data()), input.size()}, problem);
  if (cell.has_value() != problem.empty()) std::abort();
}

}  // namespace stkr::fuzz
