#include "trace/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>

extern char** environ;  // NOLINT: POSIX names it so

namespace kr::trace {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr size_t kept_output = 4096;
constexpr int tick_ms = 20;

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw std::system_error(errno, std::generic_category(), "pipe");
    }
    ::fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  }
  ~Pipe() {
    ::close(ends_[0]);
    close_writing();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_writing() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

/// The process groups that run now.
struct Running {
  std::mutex mutex;
  std::set<pid_t> groups;
};

/// Never destroyed: a signal may come while the program ends.
Running& running() {
  static Running& all = *new Running;
  return all;
}

int spawn(const std::vector<std::string>& words, const Pipe& pipe, pid_t& child) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, pipe.writing(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, pipe.writing(), STDERR_FILENO);
  // A signal that this process ignores or blocks would stay so there.
  sigset_t usual;
  sigemptyset(&usual);
  posix_spawnattr_setsigmask(&attributes, &usual);
  sigaddset(&usual, SIGPIPE);
  sigaddset(&usual, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int error =
      ::posix_spawnp(&child, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error;
}

// What there is to read now; false at the end of the output.
bool drain(int from, std::string& output, SteadyClock::time_point& heard) {
  std::array<char, 4096> bytes;  // NOLINT: read into
  while (true) {
    const ssize_t got = ::read(from, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return true;
    if (got == 0) return false;
    heard = SteadyClock::now();
    output.append(bytes.data(), static_cast<size_t>(got));
    if (output.size() > 2 * kept_output) output.erase(0, output.size() - kept_output);
  }
}

/// A program and its children: one process group.
class Group {
 public:
  /// Sets `error` where it cannot be started.
  Group(const std::vector<std::string>& words, const Pipe& pipe, int& error) {
    const std::lock_guard lock(running().mutex);
    error = spawn(words, pipe, leader_);
    runs_ = error == 0;
    if (runs_) running().groups.insert(leader_);
  }
  /// What still runs when nobody waits for it any more is killed.
  ~Group() {
    if (runs_) finish(true);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  /// How the program ended (as of `waitpid`), once it has.
  std::optional<int> ended() {
    siginfo_t info{};
    // It is left to be waited for, so that until then no other group gets its number.
    if (::waitid(P_PID, static_cast<id_t>(leader_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
      if (errno == EINTR) return std::nullopt;
    } else if (info.si_pid == 0) {
      return std::nullopt;
    }
    return finish(info.si_code != CLD_EXITED || info.si_status != 0);
  }

 private:
  int finish(bool kill) {
    const std::lock_guard lock(running().mutex);
    runs_ = false;
    if (kill) ::kill(-leader_, SIGKILL);
    running().groups.erase(leader_);
    int status = 0;
    while (::waitpid(leader_, &status, 0) < 0 && errno == EINTR) continue;
    return status;
  }
  pid_t leader_ = 0;
  bool runs_ = false;
};

}  // namespace

Finished run_program(const std::vector<std::string>& words, int silent_seconds) {
  Finished out;
  Pipe pipe;
  int error = 0;
  Group program(words, pipe, error);
  if (error != 0) {
    out.how = Finished::How::not_found;
    out.status = error;
    return out;
  }
  pipe.close_writing();
  SteadyClock::time_point heard = SteadyClock::now();
  bool open = true;
  std::optional<int> status;
  // The end of the program counts, not that of its output: a child of it may keep that open.
  while (!(status = program.ended())) {
    pollfd wait{.fd = open ? pipe.reading() : -1, .events = POLLIN, .revents = 0};
    ::poll(&wait, 1, tick_ms);
    if (open) open = drain(pipe.reading(), out.output, heard);
    if (silent_seconds != 0 && SteadyClock::now() - heard > std::chrono::seconds(silent_seconds)) {
      out.how = Finished::How::silent;
      return out;
    }
  }
  if (open) drain(pipe.reading(), out.output, heard);
  if (WIFSIGNALED(*status)) out.how = Finished::How::killed;
  out.status = WIFSIGNALED(*status) ? WTERMSIG(*status) : WEXITSTATUS(*status);
  return out;
}

void end_programs() noexcept {
  running().mutex.lock();
  for (const pid_t group : running().groups) {
    ::kill(-group, SIGKILL);
    int ignored = 0;
    ::waitpid(group, &ignored, 0);
  }
}

}  // namespace kr::trace
