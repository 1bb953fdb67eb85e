#include "runtime/abandonable.hpp"

#include <chrono>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "stkr/error.hpp"

namespace stkr::detail {
namespace {

// Threads whose results nobody waits for. The libraries that they use are torn down after static
// objects, so the destructor of this static object joins them at process exit.
class AbandonedThreads {
 public:
  void take(std::thread thread, std::future<void> done) {
    const std::lock_guard lock(mutex_);
    std::erase_if(running_, [](Running& one) {
      const bool over = one.done.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
      if (over) one.thread.join();
      return over;
    });
    running_.push_back({std::move(thread), std::move(done)});
  }
  ~AbandonedThreads() {
    for (Running& one : running_) one.thread.join();
  }

 private:
  struct Running {
    std::thread thread;
    std::future<void> done;
  };
  std::mutex mutex_;
  std::list<Running> running_;
};

}  // namespace

bool run_abandonable(const std::stop_token& cancel, std::function<void()> work) {
  static AbandonedThreads abandoned;
  const auto task = std::make_shared<std::packaged_task<void()>>(std::move(work));
  std::future<void> done = task->get_future();
  std::thread thread;
  try {
    thread = std::thread([task] { (*task)(); });
  } catch (const std::system_error&) {  // no thread available: run the task here
    (*task)();
    done.get();
    return true;
  }
  while (done.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready) {
    if (!cancel.stop_requested()) continue;
    abandoned.take(std::move(thread), std::move(done));
    return false;
  }
  thread.join();
  done.get();
  return true;
}

void throw_abandoned() { throw Cancelled("stopped by the caller"); }

}  // namespace stkr::detail
