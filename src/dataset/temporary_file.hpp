#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace stkr::detail {

// A new file in the folder of `target`, open for reading and writing, that takes the target's place
// when it is whole. Where the file system can (O_TMPFILE) it has no name until then, so nothing
// stays behind however the process ends. Elsewhere it is called .NAME.xxxxxxxx.tmp, and locked
// while its process lives.
class TemporaryFile {
 public:
  enum class Name { none_where_possible, always };

  // `permissions` are those of the file to be replaced, kept from the start, if there is one.
  // Throws WriteError, with `shown` for the path.
  TemporaryFile(const std::filesystem::path& target, std::optional<unsigned> permissions,
                std::string shown, Name name = Name::none_where_possible);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int descriptor() const { return descriptor_; }

  // Once; what was there is replaced in one step.
  void take_place();

 private:
  bool create_unnamed(unsigned mode);
  void create_named(unsigned mode);
  void give_name();

  std::filesystem::path target_;
  std::filesystem::path name_;  // empty while it has none
  std::string shown_;
  int descriptor_ = -1;
};

// The folder of a file; "." where the path names none.
std::filesystem::path folder_of(const std::filesystem::path& file);

// Removes named temporary files of this target whose processes are gone, as far as it can. Files
// that earlier versions left, without a lock, and libzip's beside them count as such.
void remove_stale_files(const std::filesystem::path& target);

[[noreturn]] void fail_to_write(const std::string& shown, const char* doing, int error);

}  // namespace stkr::detail
