// The Model Context Protocol: answers agents and scripts on two streams, one message per line.
// Source of the protocol: modelcontextprotocol.io, versions 2024-11-05 to 2025-06-18.
//
//   client ─► lines ─► receive() ─► answers at once, or a call in the queue ─► work() ─► answer
//
// `receive` is for the thread that reads, `work` for another one. Calls are answered one after the
// other; a call that is cancelled ends when its trace is next looked at, and has no answer.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kr/kr.hpp"
#include "lsp/rpc.hpp"
#include "mcp/folders.hpp"
#include "mcp/tools.hpp"
#include "mcp/traces.hpp"

namespace kr::mcp {

struct ServerOptions {
  std::vector<std::string> roots;       // folders of files that may be read; none: the current one
  bool may_write = false;               // new files below them, too
  size_t max_bytes = size_t{8} << 30U;  // of the process in memory; then traces are closed
  std::string data_folder;              // with `skill/SKILL.md`; may lack it
};

class Server {
 public:
  /// Called with one message, without the end of the line, by either thread, never by both at once.
  using Send = std::function<void(std::string_view)>;

  /// Throws Error if a folder is none.
  Server(const Rules& rules, const ServerOptions& options, Send send);

  /// Longer lines are refused.
  static constexpr size_t max_line = size_t{16} << 20U;

  /// Reads one line.
  void receive(std::string_view line);
  /// The line was too long to be read.
  void refuse_line();
  /// Answers calls until `close`.
  void work();
  /// No more calls; the one that runs is cancelled.
  void close();

 private:
  struct Call {
    std::string id;  // as JSON
    std::string tool;
    JsonValue arguments;
    std::string progress_token;  // as JSON; empty: none
    std::atomic<bool> cancelled = false;
  };

  void answer(const lsp::Message& message);
  void notice(const lsp::Message& message);
  void queue(const lsp::Message& message);
  void run(Call& call);
  void initialize(const lsp::Message& message);
  void read_resource(const lsp::Message& message);
  void send(const std::string& text);
  void progress(const ReadProgress& progress);

  Folders folders_;
  ServerOptions options_;
  Rules rules_;
  Send send_;
  OpenTraces traces_;
  Context context_;

  std::mutex sending_;
  std::mutex calls_lock_;
  std::condition_variable more_;
  std::deque<std::shared_ptr<Call>> calls_;
  std::shared_ptr<Call> running_;
  bool closed_ = false;
  // Of the call that runs; used while its trace is read, by one thread at a time.
  std::chrono::steady_clock::time_point last_progress_;
};

}  // namespace kr::mcp
