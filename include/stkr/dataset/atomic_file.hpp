#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace stkr {

namespace detail {
class TemporaryFile;
}

// A file that appears whole or not at all. Content goes to a temporary file in the same folder,
// which has no name where the file system can do without; commit() flushes it to the disk and puts
// it in the target's place. Until then, and on any failure, whatever stood at the target is
// untouched, and nothing stays behind. A file keeps the permissions it had.
class AtomicFile {
 public:
  // Throws WriteError where the folder is missing or unwritable, or the target is a folder, a
  // device or a pipe (renaming over /dev/null would replace it).
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // An empty file, open for reading and writing.
  int descriptor() const;

  void commit();

 private:
  std::filesystem::path target_;
  std::unique_ptr<detail::TemporaryFile> file_;
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
