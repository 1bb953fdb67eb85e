#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>

#include "format/crc64.hpp"
#include "linop/saved_state.hpp"

namespace stkr {

// A block that is saved from parts, which need not be in memory together.
struct StateSource {
  Index rows = 0, columns = 0;
  Crc64 checksum;                                  // of the bytes of its rows
  std::function<void(std::span<std::byte>)> read;  // the next bytes
};

// Of a block in memory, which must outlive the source.
StateSource source_of(const ConstMatrixRef& block);

// Stores the state of a long run in one file, which is replaced atomically at every save, so that a
// killed run can resume from the last complete state. The first line is JSON that identifies the
// run; then follow, for each state, a line with its name, the shapes of its blocks and their
// checksum, and the blocks as doubles. Several threads may use it at once.
class StateFile : public SavedState {
 public:
  // `run` identifies everything that determines the result (version, data, options), and `way` how
  // it is computed, which another run may do otherwise. Throws DataError if the file is not a
  // state, is damaged, or is the state of another run, and WriteError if it cannot be written.
  StateFile(std::filesystem::path path, std::string run, std::chrono::duration<double> interval,
            std::string way = {});

  // Whether the file held a state to resume from.
  bool resumed() const { return resumed_; }
  // Of the run that saved the state, or of this one if there is none to resume.
  const std::string& way() const { return way_; }
  const std::filesystem::path& path() const { return path_; }

  // Blocks whose rows are shared are those of all processes.
  std::optional<std::vector<Matrix>> find(const std::string& name,
                                          const SharedBlocks& shared) override;
  void save(const std::string& name, std::span<const ConstMatrixRef> blocks,
            const SharedBlocks& shared) override;
  bool due() const override;

  // As find() and save() of blocks that need not be in memory together.
  class Reader;
  std::optional<Reader> reader(const std::string& name) const;
  void save(const std::string& name, std::span<const StateSource> blocks);

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
  Crc64 checksum_of(const std::string& name, const Entry& entry) const;  // without the blocks

  std::filesystem::path path_;
  std::string run_, way_;
  std::chrono::duration<double> interval_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;
  bool resumed_ = false;
};

// The blocks of a state, one after the other, row by row.
class StateFile::Reader {
 public:
  const std::vector<std::pair<Index, Index>>& shapes() const { return entry_.shapes; }
  // The next bytes. What the file does not have is noticed by check().
  void read(std::span<std::byte> out);
  // At the end: throws DataError unless the checksum is right.
  void check() const;

 private:
  friend class StateFile;
  Reader(std::filesystem::path path, Crc64 checksum, Entry entry);

  std::filesystem::path path_;
  Entry entry_;
  std::ifstream in_;
  Crc64 checksum_;
};

}  // namespace stkr
