#include "reading_watch.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

namespace stkr::app {
namespace {

constexpr auto kLooksEvery = std::chrono::milliseconds(100);

// The position of the descriptor of `path` that is farthest; nullopt if none is open.
std::optional<std::int64_t> position_in(const std::filesystem::path& path) {
  std::optional<std::int64_t> farthest;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    if (std::filesystem::read_symlink(entry, error) != path) continue;
    std::ifstream info("/proc/self/fdinfo/" + entry.path().filename().string());
    std::string name;
    std::int64_t value = 0;
    if (info >> name >> value && name == "pos:" && value >= farthest.value_or(0)) farthest = value;
  }
  return farthest;
}

}  // namespace

ReadingWatch::ReadingWatch(ProgressBar& bar, const std::string& path) : bar_(bar) {
  std::error_code error;
  if (!bar.shows() || !std::filesystem::is_regular_file(path, error)) return;
  const std::string whole = std::filesystem::canonical(path, error).string();
  if (error) return;
  try {
    thread_ = std::thread([this, whole] { watch(whole); });
  } catch (const std::system_error&) {
    // Without a thread, nothing is shown.
  }
}

ReadingWatch::~ReadingWatch() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ReadingWatch::watch(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  Progress progress{.phase = "reading"};
  progress.total = error ? 0 : static_cast<std::int64_t>(size);
  progress.bytes = true;
  std::unique_lock lock(mutex_);
  do {
    progress.done = position_in(path).value_or(progress.done);
    bar_.update(progress);
  } while (!ended_.wait_for(lock, kLooksEvery, [&] { return end_; }));
}

Dataset read_dataset(const std::string& path, const LoadOptions& options, ProgressBar& bar) {
  Dataset dataset;
  {
    const ReadingWatch watch(bar, path);
    dataset = load_dataset(path, options);
  }
  bar.clear();  // notes follow
  return dataset;
}

}  // namespace stkr::app
