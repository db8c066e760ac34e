#include "session/progress.hpp"

#include <chrono>
#include <system_error>

namespace kr::session {

ProgressCalls::ProgressCalls(std::function<void()> call, std::exception_ptr& failure) {
  try {
    thread_ = std::thread([call = std::move(call), &failure, this] { run(call, failure); });
  } catch (const std::system_error&) {
    return;  // the system has no thread left: there are no calls
  }
}

ProgressCalls::~ProgressCalls() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void ProgressCalls::run(const std::function<void()>& call, std::exception_ptr& failure) {
  constexpr auto interval = std::chrono::milliseconds(100);
  std::unique_lock lock(mutex_);
  try {
    while (!wake_.wait_for(lock, interval, [this] { return stop_; })) call();
  } catch (...) {
    failure = std::current_exception();
  }
}

}  // namespace kr::session
