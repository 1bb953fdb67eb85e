#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "console.hpp"
#include "stkr/dataset/load_dataset.hpp"

namespace stkr::app {

// Shows how much of a file has been read, in any format, by a thread that looks at the position of
// its descriptor (/proc/self/fdinfo) while this object exists.
class ReadingWatch {
 public:
  // Shows nothing if `path` is no file, e.g. the name of a shipped data set.
  ReadingWatch(ProgressBar& bar, const std::string& path);
  ~ReadingWatch();
  ReadingWatch(const ReadingWatch&) = delete;
  ReadingWatch& operator=(const ReadingWatch&) = delete;

 private:
  void watch(const std::string& path);

  ProgressBar& bar_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

// load_dataset, with a bar.
Dataset read_dataset(const std::string& path, const LoadOptions& options, ProgressBar& bar);

}  // namespace stkr::app
