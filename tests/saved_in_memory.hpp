#pragma once

#include <map>

#include "linop/saved_state.hpp"

namespace stkr {

// A state that lives as long as the test and is saved at every opportunity. again() starts another
// run with it, as another process would.
class SavedInMemory : public SavedState {
 public:
  std::optional<std::vector<Matrix>> find(const std::string& name, const SharedBlocks&) override {
    const auto at = states_.find(name);
    if (at == states_.end()) return std::nullopt;
    ++found;
    return at->second;
  }
  void save(const std::string& name, std::span<const ConstMatrixRef> blocks,
            const SharedBlocks&) override {
    states_[name] = std::vector<Matrix>(blocks.begin(), blocks.end());
    ++saves;
  }
  bool due() const override { return true; }
  SavedInMemory again() const {
    SavedInMemory next;
    next.states_ = states_;
    return next;
  }

  int found = 0, saves = 0;

 private:
  std::map<std::string, std::vector<Matrix>> states_;
};

}  // namespace stkr
