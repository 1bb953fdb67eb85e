#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>

#include "linop/saved_state.hpp"

namespace stkr {

// Stores the state of a long run in one file, which is replaced atomically at every save, so that a
// killed run can resume from the last complete state. The first line is JSON that identifies the
// run; then follow, for each state, a line with its name, the shapes of its blocks and their
// checksum, and the blocks as doubles. Several threads may use it at once.
class StateFile : public SavedState {
 public:
  // `run` identifies everything that determines the result (version, data, options). Throws
  // DataError if the file is not a state, is damaged, or is the state of another run, and
  // WriteError if it cannot be written.
  StateFile(std::filesystem::path path, std::string run, std::chrono::duration<double> interval);

  // Whether the file held a state to resume from.
  bool resumed() const { return resumed_; }
  const std::filesystem::path& path() const { return path_; }

  std::optional<std::vector<Matrix>> find(const std::string& name) override;
  void save(const std::string& name, std::span<const ConstMatrixRef> blocks) override;
  bool due() const override;

  // Removes the file. Call it when the run has ended and its result is saved.
  void remove();

 private:
  struct Entry {
    std::vector<std::pair<Index, Index>> shapes;
    std::uint64_t checksum = 0;
    std::uint64_t offset = 0;  // of the first block in the file
    std::uint64_t bytes() const;
  };
  void read_index();
  std::string first_line() const;

  std::filesystem::path path_;
  std::string run_;
  std::chrono::duration<double> interval_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;
  bool resumed_ = false;
};

}  // namespace stkr
