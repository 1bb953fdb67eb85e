#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>

#include "stkr/linop/saved_state.hpp"

namespace stkr {

// The state of a long run in one file, replaced as a whole at every save: whoever is killed finds
// the last state that was complete. A line of JSON names the run; then for each state a line with
// its name, the shapes of its blocks and their checksum, and the blocks as doubles. Several threads
// may use it at once.
class StateFile : public SavedState {
 public:
  // `run` names everything that decides the result (version, data, options). Throws DataError where
  // the file is no state, is damaged, or is the state of another run; WriteError where it cannot
  // be written.
  StateFile(std::filesystem::path path, std::string run, std::chrono::duration<double> interval);

  // Whether the file held something to go on from.
  bool resumed() const { return resumed_; }
  const std::filesystem::path& path() const { return path_; }

  std::optional<std::vector<Matrix>> find(const std::string& name) override;
  void save(const std::string& name, std::span<const ConstMatrixRef> blocks) override;
  bool due() const override;

  // The run has ended and its result is safe: the file is not needed any more.
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
