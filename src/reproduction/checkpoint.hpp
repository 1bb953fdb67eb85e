#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stkr {

// Stores the finished cells of a long run, so that an interrupted run can resume. A text file with
// one JSON object per line:
//
//     {"stkr_cell":2,"crc64":"...","run":"...","key":"photo/inductive/3","value":{...}}
//
// Each line is appended by one write and flushed to the disk, so a killed process loses at most the
// cell in progress. Lines of other runs are skipped and stay in the file: several runs may share
// one file, one after another or at once. Lines that are torn, do not match their checksum, or were
// written by an earlier version without one are also skipped and stay, with a warning.
class Checkpoint {
 public:
  // `run_key` identifies everything that determines a cell (version, options, data); results of
  // another run_key are not found. Throws WriteError if the file cannot be read and written, and
  // DataError if it is not a checkpoint file.
  Checkpoint(const std::filesystem::path& path, std::string_view run_key);
  ~Checkpoint();
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  // The JSON text last stored under this key; nullopt if there is none.
  std::optional<std::string> find(std::string_view key) const;
  // Location of that text, to start a message: "cells.jsonl: line 12".
  std::string where(std::string_view key) const;

  // One warning per skipped line that may belong to this run.
  const std::vector<std::string>& warnings() const { return warnings_; }

  // Stores a cell; it is on the disk when this returns. Throws ValueError unless `json` is one JSON
  // value.
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
  bool torn_ = false;  // the last line has no line break: add one before the next
};

}  // namespace stkr
