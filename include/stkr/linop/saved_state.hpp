#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stkr/linop/matrix.hpp"

namespace stkr {

// Where a long computation keeps how far it is, so that it can go on from there in another process
// and end in the same bits. Who computes asks for a name first: computations that may be resumed
// come one after the other, in the same order in every run, so they find their names again.
class SavedState {
 public:
  virtual ~SavedState() = default;

  // "minres 1", "minres 2", ...
  std::string next_name(std::string_view kind);

  // What was saved last under that name.
  virtual std::optional<std::vector<Matrix>> find(const std::string& name) = 0;
  // Replaces it. When this returns the blocks are safe.
  virtual void save(const std::string& name, std::span<const ConstMatrixRef> blocks) = 0;
  // It is time to save: the computation loses too much if it is broken off now.
  virtual bool due() const = 0;

 private:
  std::map<std::string, int, std::less<>> names_;
};

// A text as a block of its bytes; back again, ValueError if the block holds anything else.
Matrix text_block(std::string_view text);
std::string block_text(const Matrix& block);

// The blocks saved under the next name of this kind, or those that compute() returns, which are
// saved if that took long enough to be worth it.
template <class Compute>
std::vector<Matrix> saved_or(SavedState* saved, std::string_view kind, Compute&& compute) {
  if (saved == nullptr) return compute();
  const std::string name = saved->next_name(kind);
  if (auto found = saved->find(name)) return std::move(*found);
  std::vector<Matrix> blocks = compute();
  if (saved->due()) {
    const std::vector<ConstMatrixRef> views(blocks.begin(), blocks.end());
    saved->save(name, views);
  }
  return blocks;
}

}  // namespace stkr
