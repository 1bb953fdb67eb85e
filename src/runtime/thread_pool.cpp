#include "thread_pool.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace stkr::detail {
namespace {

// Polls for the next region before a thread goes to sleep: about ten microseconds, less than waking
// up takes. Regions often follow each other that closely.
constexpr int kLooks = 200;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Whether this thread is inside a region.
thread_local bool working = false;

// One region, on the stack of the calling thread.
class Job {
 public:
  Job(Index tasks, int helpers, void (*body)(void*, Index), void* context)
      : wanted(helpers), tasks_(tasks), body_(body), context_(context), failed_task_(tasks) {}

  void work() {
    for (Index task; (task = next_.fetch_add(1, std::memory_order_relaxed)) < tasks_;) {
      try {
        body_(context_, task);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (task >= failed_task_) continue;
        failed_task_ = task;
        failure_ = std::current_exception();
      }
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  int wanted;                   // workers that may still join; guarded by the pool's mutex
  std::atomic<int> inside = 0;  // workers that have joined and not yet left

 private:
  Index tasks_;
  void (*body_)(void*, Index);
  void* context_;
  std::atomic<Index> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr failure_;
  Index failed_task_;
};

class Pool {
 public:
  void run(Job& job) {
    const int helpers = job.wanted;
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(&job);
      open_.store(true, std::memory_order_release);
      int wanted = 0;
      for (const Job* other : jobs_) wanted += other->wanted;
      start_workers(wanted - idle_);
    }
    for (int k = 0; k < helpers; ++k) wake_.notify_one();
    working = true;
    job.work();
    working = false;
    {
      const std::lock_guard lock(mutex_);
      withdraw(job);
    }
    for (int look = 0; look < kLooks && job.inside.load(std::memory_order_acquire) > 0; ++look) {
      pause();
    }
    // With the lock held here, the last worker has released it and no longer accesses the job.
    std::unique_lock lock(mutex_);
    left_.wait(lock, [&] { return job.inside.load(std::memory_order_relaxed) == 0; });
  }

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  void start_workers(int count) {
    // Signals are handled by the program's own threads.
    sigset_t all, before;
    sigfillset(&all);
    if (count > 0) pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool masked = count > 0;
    try {
      for (; count > 0; --count) {
        std::thread([this] { serve(); }).detach();
        ++idle_;
      }
    } catch (const std::system_error&) {
      // No more threads can be started: continue with those that exist.
    }
    if (masked) pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void withdraw(Job& job) {
    std::erase(jobs_, &job);
    open_.store(!jobs_.empty(), std::memory_order_release);
  }

  [[noreturn]] void serve() {
    working = true;
    std::unique_lock lock(mutex_);
    for (;;) {
      if (jobs_.empty()) {
        lock.unlock();
        for (int look = 0; look < kLooks && !open_.load(std::memory_order_acquire); ++look) pause();
        lock.lock();
        wake_.wait(lock, [&] { return !jobs_.empty(); });
      }
      Job& job = *jobs_.front();
      --idle_;
      job.inside.fetch_add(1, std::memory_order_relaxed);
      if (--job.wanted == 0) withdraw(job);
      lock.unlock();
      job.work();
      lock.lock();
      ++idle_;
      if (job.inside.fetch_sub(1, std::memory_order_release) == 1) left_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, left_;
  std::vector<Job*> jobs_;          // jobs that want workers, oldest first
  std::atomic<bool> open_ = false;  // whether jobs_ is nonempty
  int idle_ = 0;
};

// Never destroyed: workers may sleep in it while the program's last destructors run.
Pool* pool = nullptr;

// Threads do not survive a fork, and the child must not inherit a pool that one of them has locked.
void before_fork() { pool->lock(); }
void after_fork_in_parent() { pool->unlock(); }
void after_fork_in_child() { pool = new Pool; }

Pool& shared_pool() {
  static const bool started = [] {
    pool = new Pool;
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    return true;
  }();
  static_cast<void>(started);
  return *pool;
}

}  // namespace

void run_on_pool(Index tasks, int threads, void (*body)(void*, Index), void* context) {
  const int team = static_cast<int>(std::min<Index>(threads, tasks));
  if (team <= 1 || working) {
    for (Index task = 0; task < tasks; ++task) body(context, task);
    return;
  }
  Job job(tasks, team - 1, body, context);
  shared_pool().run(job);
  job.rethrow();
}

}  // namespace stkr::detail
