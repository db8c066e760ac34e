// kr lsp: the language server, for editors.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <thread>

#include "base/check.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "lsp/server.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

/// Runs one check at a time on a thread of its own.
class Worker {
 public:
  /// Throws Error if the system has no file descriptor left.
  Worker() {
    if (event_.number() < 0) throw Error("kr lsp", std::strerror(errno));
  }
  /// Stops the running check.
  ~Worker() {
    if (check_) *check_->stop = true;
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// No other check may be running.
  void start(lsp::Check check) {
    KR_CHECK(!check_);
    check_ = std::move(check);
    done_ = false;
    const auto run = [this] {
      check_->run();
      done_ = true;
      const uint64_t one = 1;
      // This cannot fail: the counter is far from its limit.
      [[maybe_unused]] const ssize_t written = ::write(event_.number(), &one, sizeof one);
    };
    try {
      thread_ = std::jthread(run);
    } catch (const std::system_error&) {
      run();  // the system has no thread left: run it here
    }
  }
  /// The check, if it is done.
  std::optional<lsp::Check> finished() {
    if (!check_ || !done_) return std::nullopt;
    if (thread_.joinable()) thread_.join();
    uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(event_.number(), &count, sizeof count);
    return std::exchange(check_, std::nullopt);
  }
  /// Readable, for poll(), when a check is done.
  int descriptor() const { return event_.number(); }

 private:
  Descriptor event_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::optional<lsp::Check> check_;
  std::atomic<bool> done_ = false;
  std::jthread thread_;  // ends before what it uses
};

bool input_waits() {
  pollfd in{STDIN_FILENO, POLLIN, 0};
  return poll(&in, 1, 0) > 0;
}

/// Waits for input or for a check to be done. Whether there is input.
bool wait(const Worker& worker) {
  std::array<pollfd, 2> all{pollfd{STDIN_FILENO, POLLIN, 0},
                            pollfd{worker.descriptor(), POLLIN, 0}};
  while (poll(all.data(), all.size(), -1) < 0) {
    if (errno != EINTR) throw Error("standard input", "cannot be read");
  }
  return all[0].revents != 0;
}

/// False at the end of the input.
bool read_some(lsp::Framer& framer) {
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count > 0) {
      framer.feed({buffer.data(), static_cast<size_t>(count)});
      return true;
    }
    if (count == 0) return false;
    if (errno != EINTR) throw Error("standard input", "cannot be read");
  }
}

void send(const std::vector<std::string>& messages, Streams& streams) {
  for (const std::string& message : messages) streams.out(lsp::framed(message));
  if (!messages.empty()) streams.finish();
}

Exit serve(Streams& streams) {
  lsp::Server server(own_library(), KR_VERSION);
  Worker worker;
  lsp::Framer framer;
  while (true) {
    while (const auto message = framer.next()) {
      send(message->broken.empty() ? server.receive(message->body) : server.broken(message->broken),
           streams);
      if (const auto status = server.exit_status()) {
        return *status == 0 ? Exit::done : Exit::findings;
      }
    }
    // What has come in meanwhile is read first: of many changes only the last is checked.
    if (auto check = worker.finished()) send(server.finish_work(std::move(*check)), streams);
    if (server.has_work() && !input_waits()) {
      std::optional<lsp::Check> check;
      send(server.begin_work(check), streams);
      if (check) worker.start(std::move(*check));
      continue;
    }
    if (wait(worker) && !read_some(framer)) throw Error("standard input", "ended without `exit`");
  }
}

Action setup_lsp(CLI::App& app) {
  auto always = std::make_shared<bool>(true);
  app.add_flag("--stdio", *always, "Use standard input and output (always the case)");
  return [always](Streams& streams) { return serve(streams); };
}

}  // namespace

const Verb lsp_verb{"lsp", "run the language server for editors", "kr lsp", setup_lsp, "Setup"};

}  // namespace kr::cli
