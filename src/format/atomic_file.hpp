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

// Writes a file completely or not at all. The content goes to a temporary file in the same folder,
// which is unnamed if the file system supports that; commit() flushes it to the disk and moves it
// to the target. Before commit() and on any failure, the target stays unchanged and no temporary
// file is left behind. An existing file keeps its permissions.
class AtomicFile {
 public:
  // Throws WriteError if the folder is missing or not writable, or if the target is a folder, a
  // device or a pipe (renaming over /dev/null would replace it). `named`: the temporary file has a
  // name from the start, for libraries that cannot open it by /proc/self/fd otherwise.
  explicit AtomicFile(const std::filesystem::path& target, bool named = false);
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

// Buffered output to a file. Every write is checked, the last one in close(). Failures throw a
// WriteError that names `shown_path`.
class FileSink {
 public:
  FileSink(const std::filesystem::path& path, std::string shown_path);
  // Appends to an open descriptor and does not close it.
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

// Returns whether output to `path` is written directly instead of replacing a file: true for an
// existing device, pipe or socket, and for /dev/stdout, /dev/stderr and /dev/fd/N.
bool is_stream(const std::filesystem::path& path);

// Calls fill(sink), which writes the whole content; if it throws, the target stays unchanged. If
// is_stream(target), the content is written directly as it is produced.
void write_atomically(const std::filesystem::path& target,
                      const std::function<void(FileSink&)>& fill);

}  // namespace stkr
