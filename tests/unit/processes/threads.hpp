// Processes of a test: threads of this program, which talk through memory.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "processes/processes.hpp"

namespace kr::test {

/// Thrown where a process is killed: neither Job nor anything below it catches it.
struct Killed {};
/// Thrown in the others, as MPI ends them: in the call that they wait in, or make next.
struct Ended {};

/// What is to happen to a process.
struct Death {
  size_t process = 0;
  size_t call = 0;  // of the transport, counted from 0
};

/// What all threads share.
class Team {
 public:
  explicit Team(size_t count, std::optional<Death> death = std::nullopt)
      : count_(count), death_(death), calls_(count), rounds_(count) {}

  size_t count() const noexcept { return count_; }

  /// Runs `body` once for each process, in a thread of its own, until all are done. Like those of
  /// MPI, no process is done before all are.
  void run(const std::function<void(processes::Processes&)>& body);

  /// Waits until a process has stopped the handing out. Throws Ended.
  void wait_until_stopped();
  /// After `run`: how many processes were killed, and how many ended with them.
  size_t killed() const noexcept { return killed_; }
  size_t ended() const noexcept { return ended_; }
  /// Whether all have exchanged equally often, and all that was sent was received.
  bool agrees() const;

  /// Called by a process after it has exchanged for the n-th time, counted from 1.
  std::function<void(size_t process, size_t n)> after_exchange;

 private:
  friend class TeamMember;
  void end();
  template <typename Condition>
  void wait(std::unique_lock<std::mutex>& lock, Condition condition);
  void count_call(size_t process);

  const size_t count_;
  const std::optional<Death> death_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;  // a process was killed
  size_t done_ = 0, killed_ = 0, ended_ = 0;
  size_t next_ = 0;
  std::vector<size_t> calls_;   // by process
  std::vector<size_t> rounds_;  // by process: how often it has exchanged
  std::map<size_t, std::map<size_t, std::string>> exchanged_;              // round, process
  std::map<std::pair<size_t, size_t>, std::deque<std::string>> messages_;  // from, to
};

}  // namespace kr::test
