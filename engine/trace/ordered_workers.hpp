// Threads that work on jobs, which come back in the order they were given: readers are parallel
// and their results the same whatever the number of threads.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace kr::trace {

/// How many threads a reader starts: as it is told, else as the options say; 0 is a thread a
/// processor. At most 16.
inline unsigned worker_threads(unsigned told, unsigned options) {
  constexpr unsigned most = 16;
  unsigned threads = told != 0 ? told : options;
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  return std::min(threads, most);
}

/// `Job` is default constructible and reused; the one thread that owns the OrderedWorkers fills
/// jobs and takes them.
template <class Job>
class OrderedWorkers {
 public:
  using Work = std::function<void(Job&)>;

  /// `make` is called here, once a thread, with the thread's number. There may come fewer threads
  /// than asked for where the system has no more: see `threads`.
  OrderedWorkers(unsigned threads, const std::function<Work(size_t)>& make) {
    try {
      for (unsigned i = 0; i < threads; ++i) {
        threads_.emplace_back([this, work = make(i)] { run(work); });
      }
    } catch (const std::system_error&) {
      // Those that could be started do.
    } catch (...) {
      join();
      throw;
    }
    // One job each in work and two on the way.
    for (size_t i = 0; i < threads_.size() + 2; ++i) {
      held_.push_back(std::make_unique<Held>());
      idle_.push_back(held_.back().get());
    }
  }
  ~OrderedWorkers() { join(); }
  OrderedWorkers(const OrderedWorkers&) = delete;
  OrderedWorkers& operator=(const OrderedWorkers&) = delete;

  size_t threads() const noexcept { return threads_.size(); }

  /// A job to fill and submit; none while all are on their way: then take one.
  Job* idle() { return idle_.empty() ? nullptr : &idle_.back()->job; }
  /// The job that `idle` gave.
  void submit() {
    Held* held = idle_.back();
    idle_.pop_back();
    held->done = false;
    held->error = nullptr;
    order_.push_back(held);
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(held);
    }
    begin_.notify_one();
  }
  /// Waits for the oldest job submitted and not taken; none where there is none. Throws what the
  /// work threw. It stays as it is until it is released.
  Job* take() {
    Job* job = take_any();
    if (job != nullptr && order_taken_->error) std::rethrow_exception(order_taken_->error);
    return job;
  }
  /// As `take`, whatever the work threw.
  Job* take_any() {
    if (order_.empty()) return nullptr;
    order_taken_ = order_.front();
    order_.pop_front();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return order_taken_->done; });
    return &order_taken_->job;
  }
  /// The job that was taken last.
  void release() { idle_.push_back(order_taken_); }

 private:
  struct Held {
    Job job;
    std::exception_ptr error;
    bool done = false;
  };

  void run(const Work& work) {
    while (true) {
      Held* held = nullptr;
      {
        std::unique_lock lock(mutex_);
        begin_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
        if (queue_.empty()) return;
        held = queue_.front();
        queue_.pop_front();
      }
      try {
        work(held->job);
      } catch (...) {
        held->error = std::current_exception();
      }
      {
        const std::lock_guard lock(mutex_);
        held->done = true;
      }
      done_.notify_one();
    }
  }
  void join() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      queue_.clear();
    }
    begin_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  std::vector<std::unique_ptr<Held>> held_;
  std::vector<Held*> idle_;
  std::deque<Held*> order_;  // submitted, not taken
  Held* order_taken_ = nullptr;
  std::deque<Held*> queue_;  // submitted, not begun
  std::mutex mutex_;
  std::condition_variable begin_;
  std::condition_variable done_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace kr::trace
