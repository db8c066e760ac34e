// Opening a file, with calls that say how far it is.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#include "session/session.hpp"
#include "session/state.hpp"

namespace kr::session {

/// Calls `open`, and the user's function as long as it works.
void Session::watched(const classify::RunSpec& spec, trace::OpenOptions options,
                      const Open& open) const {
  // Many small files are read in less time than passes between two calls.
  if (state_->progress) state_->progress({spec, 0, 0});
  trace::Progress progress;
  options.progress = &progress;
  std::exception_ptr failure;
  const auto tell = [&](const std::stop_token& stop) {
    constexpr auto interval = std::chrono::milliseconds(100);
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any wake;
    const auto is_stopped = [&] { return stop.stop_requested(); };
    try {
      while (!wake.wait_for(lock, stop, interval, is_stopped)) {
        state_->progress({spec, progress.done.load(), progress.total.load()});
      }
    } catch (...) {
      failure = std::current_exception();
      progress.stop = true;
    }
  };
  std::jthread calls;
  try {
    if (state_->progress) calls = std::jthread(tell);
  } catch (const std::system_error&) {
    // The system has no thread left: there are no calls.
  }
  std::exception_ptr error;
  try {
    open(options);
  } catch (...) {
    error = std::current_exception();
  }
  calls = {};
  if (failure) std::rethrow_exception(failure);
  if (error) std::rethrow_exception(error);
}

}  // namespace kr::session
