#include "stkr/reproduction/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr std::string_view kStart = R"({"stkr_cell":1,)";

[[noreturn]] void fail(const std::string& path, const char* doing, int error) {
  throw WriteError(
      fmt::format("{}: cannot keep finished results: {} ({}); what was there before "
                  "is unchanged",
                  path, std::strerror(error), doing));
}

void flush_folder_of(const std::filesystem::path& file) {
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);  // best effort: not every file system can
  ::close(descriptor);
}

std::string as_json(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// JSON holds UTF-8 only, but a path, say, may be part of a key.
std::string as_utf8(std::string_view text) {
  return nlohmann::json::parse(as_json(text)).get<std::string>();
}

}  // namespace

Checkpoint::Checkpoint(const std::filesystem::path& path, std::string_view run_key)
    : shown_path_(path.string()), run_key_(as_utf8(run_key)) {
  struct stat old = {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) {
    throw WriteError(
        fmt::format("{}: cannot keep finished results: it is {}; give the path of a file",
                    shown_path_, S_ISDIR(old.st_mode) ? "a folder" : "not a regular file"));
  }
  // What is there is read before the file is opened for writing: one of another kind stays as it
  // is.
  if (exists) {
    std::ifstream in(path, std::ios::binary);
    if (!in) fail(shown_path_, "opening to read", errno);
    std::string line;
    bool first = true;
    while (std::getline(in, line)) {
      torn_ = in.eof();  // getline met the end before a newline
      if (first && line.compare(0, kStart.size(), kStart, 0, line.size()) != 0) {
        throw DataError(
            fmt::format("{}: is not a file of finished results: its first line does not start "
                        "with {}; give another path",
                        shown_path_, kStart));
      }
      first = false;
      const auto cell = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (torn_ || !cell.is_object()) continue;
      const auto run = cell.find("run");
      const auto key = cell.find("key");
      const auto value = cell.find("value");
      if (run == cell.end() || key == cell.end() || value == cell.end()) continue;
      if (*run != run_key_ || !key->is_string()) continue;
      cells_[key->get<std::string>()] = value->dump();
    }
    if (in.bad()) fail(shown_path_, "reading", errno);
  }
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(shown_path_, "opening to append", errno);
  if (!exists) flush_folder_of(path);
}

Checkpoint::~Checkpoint() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<std::string> Checkpoint::find(std::string_view key) const {
  const auto at = cells_.find(as_utf8(key));
  if (at == cells_.end()) return std::nullopt;
  return at->second;
}

void Checkpoint::store(std::string_view key, std::string_view json) {
  const auto value = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) {
    throw ValueError(fmt::format("Checkpoint::store: the value of {} is not JSON: {}", key, json));
  }
  // Parsed and written anew: a line break within the value would cut the line.
  const std::string text = value.dump();
  const std::string line =
      fmt::format("{}{}\"run\":{},\"key\":{},\"value\":{}}}\n", torn_ ? "\n" : "", kStart,
                  as_json(run_key_), as_json(key), text);
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
  cells_.insert_or_assign(as_utf8(key), text);
}

}  // namespace stkr
