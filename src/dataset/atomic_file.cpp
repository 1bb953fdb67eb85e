#include "stkr/dataset/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <random>

#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr std::size_t kBufferSize = 1 << 16;

[[noreturn]] void fail(const std::string& path, const char* doing, int error) {
  throw WriteError(fmt::format("{}: cannot write: {} ({}); what was there before is unchanged",
                               path, std::strerror(error), doing));
}

void flush_to_disk(const std::filesystem::path& path, const std::string& shown, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0) fail(shown, "opening it to flush", errno);
  const int failed = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  // Some network and FUSE file systems do not implement fsync on folders.
  if (failed != 0 && failed != EINVAL && failed != ENOSYS) fail(shown, "flushing to disk", failed);
}

// The descriptor that a path like /dev/fd/3 stands for; -1 for any other.
int named_descriptor(const std::filesystem::path& path) {
  const std::string text = path.lexically_normal().string();
  if (text == "/dev/stdout") return STDOUT_FILENO;
  if (text == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!text.starts_with(folder)) continue;
    const std::string_view digits = std::string_view(text).substr(folder.size());
    int descriptor = -1;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), descriptor);
    if (error == std::errc() && end == digits.data() + digits.size()) return descriptor;
  }
  return -1;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& target) : target_(target) {
  if (target.empty()) throw WriteError("cannot write: the path is empty");
  std::error_code ignored;
  // Replace what a symbolic link points to, not the link.
  if (std::filesystem::is_symlink(target, ignored)) {
    target_ = std::filesystem::weakly_canonical(target, ignored);
    if (ignored) target_ = target;
  }
  struct stat old = {};
  const bool exists = ::stat(target_.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) {
    throw WriteError(fmt::format("{}: cannot write: it is {}; give the path of a file",
                                 target.string(),
                                 S_ISDIR(old.st_mode) ? "a folder" : "not a regular file"));
  }
  if (exists) permissions_ = old.st_mode & 0777;
  std::random_device entropy;  // only for a name nobody else uses
  for (int attempt = 0;; ++attempt) {
    temporary_ = folder_of(target_) / fmt::format(".{}.{:08x}.tmp", target_.filename().string(),
                                                  static_cast<unsigned>(entropy()));
    const int descriptor =
        ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      ::close(descriptor);
      return;
    }
    if (errno == EEXIST && attempt < 100) continue;
    if (errno == ENOENT) {
      throw WriteError(
          fmt::format("{}: cannot write: the folder {} does not exist; create it first",
                      target.string(), folder_of(target_).string()));
    }
    fail(target.string(), "creating a temporary file beside it", errno);
  }
}

AtomicFile::~AtomicFile() {
  if (!committed_) ::unlink(temporary_.c_str());
}

void AtomicFile::commit() {
  flush_to_disk(temporary_, target_.string(), O_RDONLY);
  // Best effort: a file keeps the permissions it had.
  if (permissions_ != 0) {
    [[maybe_unused]] const int kept = ::chmod(temporary_.c_str(), permissions_);
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(target_.string(), "renaming", errno);
  committed_ = true;
  flush_to_disk(folder_of(target_), target_.string(), O_RDONLY | O_DIRECTORY);
}

FileSink::FileSink(const std::filesystem::path& path, std::string shown_path)
    : shown_path_(std::move(shown_path)) {
  buffer_.reserve(kBufferSize);
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (descriptor_ < 0) fail(shown_path_, "opening", errno);
}

FileSink::FileSink(int descriptor, std::string shown_path) : shown_path_(std::move(shown_path)) {
  buffer_.reserve(kBufferSize);
  descriptor_ = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (descriptor_ < 0) fail(shown_path_, "opening", errno);
}

FileSink::~FileSink() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileSink::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBufferSize) flush();
  if (bytes.size() > kBufferSize) {
    write_through(bytes.data(), bytes.size());
  } else {
    buffer_.append(bytes);
  }
}

void FileSink::flush() {
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void FileSink::write_through(const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(descriptor_, bytes, count);
    if (written < 0) {
      if (errno == EINTR) continue;
      fail(shown_path_, "writing", errno);
    }
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
}

void FileSink::close() {
  flush();
  const int closing = descriptor_;
  descriptor_ = -1;
  if (::close(closing) != 0) fail(shown_path_, "closing", errno);
}

bool is_stream(const std::filesystem::path& path) {
  if (named_descriptor(path) >= 0) return true;
  struct stat found = {};
  return ::stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode);
}

void write_atomically(const std::filesystem::path& target,
                      const std::function<void(FileSink&)>& fill) {
  if (is_stream(target)) {
    const int descriptor = named_descriptor(target);
    FileSink sink =
        descriptor >= 0 ? FileSink(descriptor, target.string()) : FileSink(target, target.string());
    fill(sink);
    sink.close();
    return;
  }
  AtomicFile file(target);
  FileSink sink(file.temporary(), target.string());
  fill(sink);
  sink.close();
  file.commit();
}

}  // namespace stkr
