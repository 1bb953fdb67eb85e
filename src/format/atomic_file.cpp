#include "format/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>

#include "stkr/error.hpp"
#include "temporary_file.hpp"

namespace stkr {
namespace {

constexpr std::size_t kWriteBuffer = 1 << 16;

// Returns 0 or the errno of the failure. Some network and FUSE file systems do not implement fsync
// on folders.
int flush_to_disk(int descriptor) {
  if (::fsync(descriptor) == 0 || errno == EINVAL || errno == ENOSYS) return 0;
  return errno;
}

int flush_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int failed = flush_to_disk(descriptor);
  ::close(descriptor);
  return failed;
}

// The descriptor that a path like /dev/fd/3 refers to; -1 for other paths.
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

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& target, bool named) : target_(target) {
  if (target.empty()) throw WriteError("cannot write: the path is empty");
  struct stat old = {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) {
    throw WriteError(fmt::format("{}: cannot write: it is {}; give the path of a file",
                                 target.string(),
                                 S_ISDIR(old.st_mode) ? "a folder" : "not a regular file"));
  }
  std::error_code ignored;
  // Replace the target of a symbolic link, not the link.
  if (std::filesystem::is_symlink(target, ignored)) {
    target_ = std::filesystem::weakly_canonical(target, ignored);
    if (ignored) target_ = target;
  }
  file_ = std::make_unique<detail::TemporaryFile>(
      target_, exists ? std::optional<unsigned>(old.st_mode & 0777) : std::nullopt, target.string(),
      named ? detail::TemporaryFile::Name::always
            : detail::TemporaryFile::Name::none_where_possible);
}

AtomicFile::~AtomicFile() = default;

int AtomicFile::descriptor() const { return file_->descriptor(); }

void AtomicFile::commit() {
  int failed = flush_to_disk(file_->descriptor());
  if (failed == 0) {
    file_->take_place();
    failed = flush_folder(detail::folder_of(target_));
  }
  if (failed != 0) detail::fail_to_write(target_.string(), "flushing to disk", failed);
  detail::remove_stale_files(target_);
}

FileSink::FileSink(const std::filesystem::path& path, std::string shown_path)
    : shown_path_(std::move(shown_path)) {
  buffer_.reserve(kWriteBuffer);
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (descriptor_ < 0) detail::fail_to_write(shown_path_, "opening", errno);
}

FileSink::FileSink(int descriptor, std::string shown_path) : shown_path_(std::move(shown_path)) {
  buffer_.reserve(kWriteBuffer);
  descriptor_ = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (descriptor_ < 0) detail::fail_to_write(shown_path_, "opening", errno);
}

FileSink::~FileSink() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileSink::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kWriteBuffer) flush();
  if (bytes.size() > kWriteBuffer) {
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
      detail::fail_to_write(shown_path_, "writing", errno);
    }
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
}

void FileSink::close() {
  flush();
  const int closing = descriptor_;
  descriptor_ = -1;
  if (::close(closing) != 0) detail::fail_to_write(shown_path_, "closing", errno);
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
  FileSink sink(file.descriptor(), target.string());
  fill(sink);
  sink.close();
  file.commit();
}

}  // namespace stkr
