#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stkr {

// The finished cells of a long run, so that it goes on where it was broken off. One JSON object
// a line in a text file:
//
//     {"stkr_cell":2,"crc64":"...","run":"...","key":"photo/inductive/3","value":{...}}
//
// Each is appended by one write and flushed to the disk, so a process that is killed loses at most
// the cell it was at. A line of another run is passed over and stays in the file: several runs may
// share one file, in turn or at once. So does a line that is torn, that is not what its checksum
// says, or that an earlier version wrote without one, and there is a warning for it.
class Checkpoint {
 public:
  // `run_key` names everything that decides what a cell holds (version, options, data): results of
  // another run_key are not found. Throws WriteError where the file cannot be read and written, and
  // DataError where it is a file of another kind.
  Checkpoint(const std::filesystem::path& path, std::string_view run_key);
  ~Checkpoint();
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  // The JSON text stored last under this key.
  std::optional<std::string> find(std::string_view key) const;
  // Where that is, to start a message with: "cells.jsonl: line 12".
  std::string where(std::string_view key) const;

  // Lines that were passed over though they may be of this run.
  const std::vector<std::string>& warnings() const { return warnings_; }

  // `json` is one JSON value; ValueError otherwise. When this returns the cell is on the disk.
  void store(std::string_view key, std::string_view json);

  std::size_t size() const { return cells_.size(); }

 private:
  struct Cell {
    std::string json;
    std::size_t line = 0;  // 0: stored by this object
  };
  void read(const std::filesystem::path& path);

  std::string shown_path_;
  std::string run_key_;
  std::map<std::string, Cell, std::less<>> cells_;
  std::vector<std::string> warnings_;
  int descriptor_ = -1;
  bool torn_ = false;  // the last line has no end: close it before the next
};

}  // namespace stkr
