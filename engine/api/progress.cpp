#include "api/progress.hpp"

#include <chrono>
#include <system_error>

namespace kr::api {

ProgressCalls::ProgressCalls(const std::function<void(const ReadProgress&)>& call,
                             const RunSource& source, const trace::Progress& progress,
                             std::exception_ptr& failure) {
  try {
    thread_ = std::thread(
        [&call, &source, &progress, &failure, this] { run(call, source, progress, failure); });
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

void ProgressCalls::run(const std::function<void(const ReadProgress&)>& call,
                        const RunSource& source, const trace::Progress& progress,
                        std::exception_ptr& failure) {
  constexpr auto interval = std::chrono::milliseconds(100);
  std::unique_lock lock(mutex_);
  try {
    while (!wake_.wait_for(lock, interval, [this] { return stop_; })) {
      call({source, progress.done.load(), progress.total.load()});
    }
  } catch (...) {
    failure = std::current_exception();
  }
}

}  // namespace kr::api
