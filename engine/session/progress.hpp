// Calls a function while a file is read.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace kr::session {

/// From its beginning to its end, on a thread of its own. What the function throws ends the calls,
/// and is in `failure`, which has to live as long.
class ProgressCalls {
 public:
  ProgressCalls(std::function<void()> call, std::exception_ptr& failure);
  ~ProgressCalls();
  ProgressCalls(const ProgressCalls&) = delete;
  ProgressCalls& operator=(const ProgressCalls&) = delete;

 private:
  void run(const std::function<void()>& call, std::exception_ptr& failure);

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace kr::session
