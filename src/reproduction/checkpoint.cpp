#include "reproduction/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "checkpoint_line.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

using detail::as_utf8;
using detail::kAnyCheckpoint;
using detail::kMostLineBytes;

constexpr std::size_t kMostWarnings = 10;

[[noreturn]] void fail(const std::string& path, const char* doing, int error) {
  throw WriteError(
      fmt::format("{}: cannot store finished results: {} ({}); an existing file is unchanged", path,
                  std::strerror(error), doing));
}

void flush_folder_of(const std::filesystem::path& file) {
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);  // best effort: not supported by every file system
  ::close(descriptor);
}

// Reads the next line without its line break; of a line that is too long, only enough to detect it.
// Returns false at the end of the file; `ended` tells whether the line had a line break.
bool next_line(std::istream& in, std::string& line, bool& ended) {
  line.clear();
  ended = false;
  bool any = false;
  for (char c = 0; !ended && in.get(c);) {
    any = true;
    ended = c == '\n';
    if (!ended && line.size() <= kMostLineBytes) line.push_back(c);
  }
  return any;
}

}  // namespace

Checkpoint::Checkpoint(const std::filesystem::path& path, std::string_view run_key)
    : shown_path_(path.string()), run_key_(as_utf8(run_key)) {
  struct stat old = {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) {
    throw WriteError(
        fmt::format("{}: cannot store finished results: it is {}; give the path of a file",
                    shown_path_, S_ISDIR(old.st_mode) ? "a folder" : "not a regular file"));
  }
  // An existing file is read before it is opened for writing, so that a file of another kind stays
  // unchanged.
  if (exists) read(path);
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(shown_path_, "opening to append", errno);
  if (!exists) flush_folder_of(path);
}

Checkpoint::~Checkpoint() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Checkpoint::read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(shown_path_, "opening to read", errno);
  std::string line;
  bool ended = false;
  std::size_t unused = 0;
  for (std::size_t number = 1; next_line(in, line, ended); ++number) {
    torn_ = !ended;
    // A torn file may contain only a part of it.
    const bool starts = line.compare(0, kAnyCheckpoint.size(), kAnyCheckpoint, 0, line.size()) == 0;
    if (number == 1 && (!starts || line.empty())) {
      throw DataError(
          fmt::format("{}: is not a file of finished results: its first line does not start "
                      "with {}; give another path",
                      shown_path_, kAnyCheckpoint));
    }
    if (ended && line.empty()) continue;
    std::string problem = "is truncated";
    auto cell = torn_ ? std::nullopt : detail::parse_checkpoint_line(line, problem);
    if (!cell) {
      if (++unused <= kMostWarnings) {
        warnings_.push_back(fmt::format("{}: line {} {}; its result is computed again", shown_path_,
                                        number, problem));
      }
    } else if (cell->run == run_key_) {
      cells_.insert_or_assign(std::move(cell->key), Cell{std::move(cell->value), number});
    }
  }
  if (in.bad()) fail(shown_path_, "reading", errno);
  if (unused > kMostWarnings) {
    warnings_.push_back(fmt::format("{}: {} more such lines", shown_path_, unused - kMostWarnings));
  }
}

std::optional<std::string> Checkpoint::find(std::string_view key) const {
  const auto at = cells_.find(as_utf8(key));
  if (at == cells_.end()) return std::nullopt;
  return at->second.json;
}

std::string Checkpoint::where(std::string_view key) const {
  const auto at = cells_.find(as_utf8(key));
  return at == cells_.end() || at->second.line == 0
             ? shown_path_
             : fmt::format("{}: line {}", shown_path_, at->second.line);
}

void Checkpoint::store(std::string_view key, std::string_view json) {
  // A line break within the value would split the line.
  detail::CheckpointCell cell{run_key_, as_utf8(key), detail::compact_json(json)};
  const std::string line = fmt::format("{}{}\n", torn_ ? "\n" : "", detail::checkpoint_line(cell));
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail(shown_path_, "appending", errno);
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
    torn_ = !rest.empty();
  }
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOSYS) {
    fail(shown_path_, "flushing to disk", errno);
  }
  cells_.insert_or_assign(std::move(cell.key), Cell{std::move(cell.value), 0});
}

}  // namespace stkr
