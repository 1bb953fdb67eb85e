#include <cstdlib>

#include "format/state_file.hpp"
#include "stkr/error.hpp"
#include "target.hpp"

namespace stkr::fuzz {

// States of computations and texts (the finished parts of a selection), with the names used by the
// seeds.
void run_state(Bytes input) {
  read_file(scratch_file("input.state", input), [](const std::filesystem::path& file) {
    StateFile state(file, "run", std::chrono::hours(1));
    for (const char* name : {"one", "two"}) {
      const auto blocks = state.find(name, {});
      if (!blocks) continue;
      for (const Matrix& block : *blocks) {
        try {
          const std::string text = block_text(block);
          if (block_text(text_block(text)) != text) std::abort();
        } catch (const ValueError&) {
          // The numbers do not encode a text.
        }
      }
    }
    // A new state is found, and the others are unchanged, whatever the file contained.
    const auto before = state.find("one", {});
    const Matrix fresh = Matrix::Constant(2, 3, 0.5);
    state.save("new", std::vector<ConstMatrixRef>{fresh}, {});
    StateFile again(file, "run", std::chrono::hours(1));
    const auto found = again.find("new", {});
    if (!found || found->size() != 1 || found->front() != fresh) std::abort();
    if (again.find("one", {}).has_value() != before.has_value()) std::abort();
  });
}

}  // namespace stkr::fuzz
