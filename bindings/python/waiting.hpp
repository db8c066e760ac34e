// Long work without the GIL, which Ctrl-C ends.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>

#include "object.hpp"

namespace kr::python {

/// Thrown by work that was requested to stop.
struct Interrupted {};

/// Whether the call that works now is to stop.
using Stop = std::atomic<bool>;

/// A session and its tables are for one thread at a time: threads take turns. Who has the turn
/// never waits for the GIL, so that a thread with the GIL may wait for its turn.
class Turns {
 public:
  /// Throws Interrupted if `stop` is set before it is this thread's turn.
  void take(const Stop& stop) {
    std::unique_lock lock(mutex_);
    while (taken_) {
      changed_.wait_for(lock, std::chrono::milliseconds(50));
      if (stop) throw Interrupted();
    }
    taken_ = true;
  }
  void give_back() {
    {
      const std::lock_guard lock(mutex_);
      taken_ = false;
    }
    changed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool taken_ = false;
};
using SharedTurns = std::shared_ptr<Turns>;

/// As long as it lives, it is this thread's turn.
class Turn {
 public:
  explicit Turn(Turns& turns, const Stop& stop = Stop(false)) : turns_(turns) { turns.take(stop); }
  ~Turn() { turns_.give_back(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Turns& turns_;
};

/// `work(stop)` on another thread, in its turn, without the GIL. This thread waits, and looks for
/// signals: if the handler of one raises, `stop` is set, and what it raised stays raised when the
/// work has ended.
template <class Work>
auto in_turn(Turns& turns, Work work) {
  Stop stop = false;
  auto result = std::async(std::launch::async, [&] {
    const Turn turn(turns, stop);
    return work(static_cast<const Stop&>(stop));
  });
  while (true) {
    {
      const Unlocked unlocked;
      if (result.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready) break;
    }
    if (!stop && PyErr_CheckSignals() != 0) stop = true;
  }
  if (stop) throw Raised();
  return result.get();
}

}  // namespace kr::python
