#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stkr/matrix.hpp"

namespace stkr {

class SharedRows;  // stkr/linop/shared_rows

// Which blocks of a state, from `first` on, have rows that processes share: every process saves and
// finds its own rows of these, while all have the same other blocks. Null: one process has all.
struct SharedBlocks {
  const SharedRows* rows = nullptr;
  std::size_t first = 0, count = 0;
};

// Stores the progress of a long computation, so that another process can resume it with
// bit-identical results. A computation first asks for a name: resumable computations start one
// after the other, in the same order in every run, so they get the same names again. Processes that
// share samples call all functions together.
class SavedState {
 public:
  virtual ~SavedState() = default;

  // "minres 1", "minres 2", ...
  std::string next_name(std::string_view kind);

  // The blocks last saved under that name.
  virtual std::optional<std::vector<Matrix>> find(const std::string& name,
                                                  const SharedBlocks& shared) = 0;
  // Replaces them. The blocks are durable when this returns.
  virtual void save(const std::string& name, std::span<const ConstMatrixRef> blocks,
                    const SharedBlocks& shared) = 0;
  // Whether it is time to save, because an interruption now would lose too much work.
  virtual bool due() const = 0;

 private:
  std::map<std::string, int, std::less<>> names_;
};

// Converts a text to a block of its bytes and back. Throws ValueError for any other block.
Matrix text_block(std::string_view text);
std::string block_text(const Matrix& block);

// Returns the blocks saved under the next name of this kind. If there are none, returns those that
// compute() returns and saves them if that took long enough.
template <class Compute>
std::vector<Matrix> saved_or(SavedState* saved, std::string_view kind, Compute&& compute,
                             const SharedBlocks& shared = {}) {
  if (saved == nullptr) return compute();
  const std::string name = saved->next_name(kind);
  if (auto found = saved->find(name, shared)) return std::move(*found);
  std::vector<Matrix> blocks = compute();
  if (saved->due()) {
    const std::vector<ConstMatrixRef> views(blocks.begin(), blocks.end());
    saved->save(name, views, shared);
  }
  return blocks;
}

}  // namespace stkr
