#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace stkr {

// A file that appears whole or not at all. Content goes to a temporary file in the same folder;
// commit() flushes it to the disk and renames it over the target. Until then, and on any failure,
// whatever stood at the target is untouched, and the destructor removes the temporary file.
class AtomicFile {
 public:
  // Throws WriteError where the folder is missing or unwritable, or the target is a folder, a
  // device or a pipe (renaming over /dev/null would replace it).
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // An empty file to write to, by any means: it may itself be replaced by a rename.
  const std::filesystem::path& temporary() const { return temporary_; }
  const std::filesystem::path& target() const { return target_; }

  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  unsigned permissions_ = 0;  // of the file that is replaced; 0 when there is none
  bool committed_ = false;
};

// Buffered bytes to a file. Every write is checked, the last one by close(); all failures are
// WriteErrors that name `shown_path`.
class FileSink {
 public:
  FileSink(const std::filesystem::path& path, std::string shown_path);
  // Behind what was written to an open descriptor, which stays open.
  FileSink(int descriptor, std::string shown_path);
  ~FileSink();
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  void write(std::string_view bytes);
  void close();

 private:
  void flush();
  void write_through(const char* bytes, std::size_t count);

  std::string shown_path_;
  std::string buffer_;
  int descriptor_ = -1;
};

// Whether a path is written to as it is and never replaced: a device, a pipe or a socket that is
// there, and whatever /dev/stdout, /dev/stderr and /dev/fd/N stand for.
bool is_stream(const std::filesystem::path& path);

// fill(sink) writes the whole content; if it throws, the target stays as it was. What is_stream
// gets it as it comes.
void write_atomically(const std::filesystem::path& target,
                      const std::function<void(FileSink&)>& fill);

}  // namespace stkr
