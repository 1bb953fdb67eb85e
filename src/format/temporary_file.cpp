#include "temporary_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>

#include "stkr/error.hpp"

namespace stkr::detail {
namespace {

namespace fs = std::filesystem;

constexpr int kMostAttempts = 100;

// A random name, to avoid names in use.
fs::path some_name(const fs::path& target) {
  std::random_device entropy;
  return folder_of(target) / fmt::format(".{}.{:08x}.tmp", target.filename().string(),
                                         static_cast<unsigned>(entropy()));
}

std::string link_of(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

// .NAME.xxxxxxxx.tmp, and libzip's .NAME.xxxxxxxx.tmp.yyyyyy
bool is_temporary_name(std::string_view name, const std::string& target) {
  const std::string start = fmt::format(".{}.", target);
  constexpr std::string_view kEnd = ".tmp";
  constexpr std::size_t kNameDigits = 8, kSuffix = 7;
  if (!name.starts_with(start)) return false;
  name.remove_prefix(start.size());
  if (name.substr(0, kNameDigits).find_first_not_of("0123456789abcdef") != std::string_view::npos) {
    return false;
  }
  if (name.size() < kNameDigits + kEnd.size() || name.substr(kNameDigits, kEnd.size()) != kEnd) {
    return false;
  }
  name.remove_prefix(kNameDigits + kEnd.size());
  return name.empty() || (name.size() == kSuffix && name.front() == '.');
}

bool is_unlocked_file(int descriptor) {
  struct stat found = {};
  return ::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode) &&
         ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

void fail_to_write(const std::string& shown, const char* doing, int error) {
  throw WriteError(fmt::format("{}: cannot write: {} ({}); an existing file is unchanged", shown,
                               std::strerror(error), doing));
}

ScratchFile::ScratchFile() {
  const char* folder = std::getenv("TMPDIR");
  std::string name =
      fmt::format("{}/stkr.XXXXXX", folder != nullptr && *folder != '\0' ? folder : "/tmp");
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail_to_write(name, "making a temporary file", errno);
  ::unlink(name.c_str());
}

ScratchFile::~ScratchFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

TemporaryFile::TemporaryFile(const fs::path& target, std::optional<unsigned> permissions,
                             std::string shown, Name name)
    : target_(target), shown_(std::move(shown)) {
  // Other users cannot read it until it has the permissions of the file that it replaces.
  const unsigned mode = permissions ? 0600 : 0666;
  if (name == Name::always || !create_unnamed(mode)) create_named(mode);
  if (permissions) static_cast<void>(::fchmod(descriptor_, *permissions));  // best effort
}

// Returns false if the file system does not support unnamed files.
bool TemporaryFile::create_unnamed(unsigned mode) {
  descriptor_ = ::open(folder_of(target_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (descriptor_ < 0) {
    if (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL) return false;
    if (errno == ENOENT) return false;  // create_named reports what is missing
    fail_to_write(shown_, "creating a temporary file in its folder", errno);
  }
  // It is named through /proc, which may be missing in a container.
  if (::access(link_of(descriptor_).c_str(), F_OK) != 0) {
    ::close(descriptor_);
    descriptor_ = -1;
    return false;
  }
  ::flock(descriptor_, LOCK_EX | LOCK_NB);  // no other process can hold it
  return true;
}

void TemporaryFile::create_named(unsigned mode) {
  for (int attempt = 0;; ++attempt) {
    name_ = some_name(target_);
    descriptor_ = ::open(name_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode);
    if (descriptor_ < 0) {
      const int error = errno;
      name_.clear();
      if (error == EEXIST && attempt < kMostAttempts) continue;
      if (error != ENOENT) fail_to_write(shown_, "creating a temporary file in its folder", error);
      throw WriteError(
          fmt::format("{}: cannot write: the folder {} does not exist; create it first", shown_,
                      folder_of(target_).string()));
    }
    ::flock(descriptor_, LOCK_EX);
    // Another process may have removed it as stale before it was locked.
    struct stat made = {};
    if (::fstat(descriptor_, &made) != 0 || made.st_nlink > 0) return;
    ::close(descriptor_);
  }
}

TemporaryFile::~TemporaryFile() {
  if (!name_.empty()) ::unlink(name_.c_str());
  if (descriptor_ >= 0) ::close(descriptor_);
}

void TemporaryFile::give_name() {
  for (int attempt = 0; name_.empty(); ++attempt) {
    const fs::path name = some_name(target_);
    if (::linkat(AT_FDCWD, link_of(descriptor_).c_str(), AT_FDCWD, name.c_str(),
                 AT_SYMLINK_FOLLOW) == 0) {
      name_ = name;
    } else if (errno != EEXIST || attempt == kMostAttempts) {
      fail_to_write(shown_, "giving it a name", errno);
    }
  }
}

void TemporaryFile::take_place() {
  // A link cannot replace an existing file; if there is none, it is enough.
  if (name_.empty() && ::linkat(AT_FDCWD, link_of(descriptor_).c_str(), AT_FDCWD, target_.c_str(),
                                AT_SYMLINK_FOLLOW) == 0) {
    return;
  }
  give_name();
  if (::rename(name_.c_str(), target_.c_str()) != 0) fail_to_write(shown_, "renaming", errno);
  name_.clear();
}

void remove_stale_files(const fs::path& target) {
  const std::string name = target.filename().string();
  std::error_code error;
  for (fs::directory_iterator entry(folder_of(target), error), end; !error && entry != end;
       entry.increment(error)) {
    if (!is_temporary_name(entry->path().filename().string(), name)) continue;
    const int descriptor =
        ::open(entry->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) continue;
    if (is_unlocked_file(descriptor)) ::unlink(entry->path().c_str());
    ::close(descriptor);
  }
}

}  // namespace stkr::detail
