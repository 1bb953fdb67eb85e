#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace stkr::detail {

// A new file in the folder of `target`, open for reading and writing, that replaces the target when
// it is complete. If the file system supports it (O_TMPFILE), the file is unnamed until then, so
// nothing is left behind however the process ends. Otherwise it is named .NAME.xxxxxxxx.tmp and
// locked while its process lives.
class TemporaryFile {
 public:
  enum class Name { none_where_possible, always };

  // `permissions` are those of the file to be replaced, if there is one, and apply from the start.
  // Throws WriteError, with `shown` as the path.
  TemporaryFile(const std::filesystem::path& target, std::optional<unsigned> permissions,
                std::string shown, Name name = Name::none_where_possible);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int descriptor() const { return descriptor_; }

  // Replaces the target atomically. Call it once.
  void take_place();

 private:
  bool create_unnamed(unsigned mode);
  void create_named(unsigned mode);
  void give_name();

  std::filesystem::path target_;
  std::filesystem::path name_;  // empty while unnamed
  std::string shown_;
  int descriptor_ = -1;
};

// An unnamed file in TMPDIR, or /tmp, open for reading and writing. Throws WriteError.
class ScratchFile {
 public:
  ScratchFile();
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

// The folder of a file; "." if the path has none.
std::filesystem::path folder_of(const std::filesystem::path& file);

// Removes named temporary files of this target whose processes have ended, if possible. This
// includes unlocked files of earlier versions and their libzip files.
void remove_stale_files(const std::filesystem::path& target);

[[noreturn]] void fail_to_write(const std::string& shown, const char* doing, int error);

}  // namespace stkr::detail
