// Traces that stay open between calls: a second question about a trace does not read it again.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "kr/kr.hpp"
#include "mcp/arguments.hpp"
#include "mcp/folders.hpp"

namespace kr::mcp {

/// What of which runs a call is about.
struct RunsAsked {
  std::vector<std::string> runs;    // paths; a folder stands for the traces in it
  std::vector<std::string> others;  // of a comparison: side B
  std::string engine;               // of all runs; empty: detected
  std::string model;
  SessionOptions options;  // without functions and tables

  /// `runs`, `engine`, `model`, `window`, … of a tool. Paths are checked. Throws Error.
  static RunsAsked of(Arguments& arguments, const Folders& folders);
  /// The same of two sides, `a` and `b`.
  static RunsAsked of_sides(Arguments& arguments, const Folders& folders);
  /// Equal if the same runs are read in the same way.
  std::string key() const;
  size_t size() const noexcept { return runs.size() + others.size(); }
};

class OpenTraces {
 public:
  /// Called while a trace is read; throws to end that.
  using Progress = std::function<void(const ReadProgress&)>;

  /// Sessions are closed, the one asked last at last, while the process has more than `max_bytes`
  /// in memory, or more than `max_sessions` are open.
  OpenTraces(Rules rules, size_t max_bytes, Progress progress, std::function<bool()> stop_query);

  /// Opens the runs, or has them still. Valid until the next call. Nothing is read before a table
  /// is asked for. A file that has changed since is opened again.
  Session& open(const RunsAsked& asked);
  /// After a call: closes what is too much.
  void trim();
  size_t size() const noexcept { return open_.size(); }

 private:
  struct Open {
    std::string key;
    Session session;
  };
  static constexpr size_t max_sessions = 16;

  Rules rules_;
  size_t max_bytes_;
  Progress progress_;
  std::function<bool()> stop_query_;
  std::list<Open> open_;  // the last one asked first
};

}  // namespace kr::mcp
