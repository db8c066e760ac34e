// The findings of one document, worked out apart from the server, so that it answers meanwhile.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lsp/analysis.hpp"
#include "match/memo.hpp"
#include "prove/memo.hpp"

namespace kr::lsp {

/// What stays the same from edit to edit is matched and proven once. One check at a time uses it.
struct Remembered {
  std::shared_ptr<match::MatchMemo> matches = std::make_shared<match::MatchMemo>();
  prove::ProofMemo proofs;
};

struct Check {
  std::string uri;
  std::shared_ptr<Analysis> analysis;
  std::vector<lint::Used> used_elsewhere;
  std::shared_ptr<Remembered> remembered;
  /// Set by any thread: the findings are not wanted any more.
  std::shared_ptr<std::atomic<bool>> stop = std::make_shared<std::atomic<bool>>(false);

  std::vector<diag::Diagnostic> findings;
  std::string trouble;         // why there are no findings; empty: there are
  std::exception_ptr failure;  // an InternalError, for the thread that takes the check

  /// Sets `findings`, `trouble` or `failure`. On any thread, while other threads ask `analysis`
  /// questions.
  void run() noexcept;
};

/// Runs one check at a time on a thread of its own.
class Worker {
 public:
  /// Throws Error where the system has no descriptor left.
  Worker();
  /// Stops what is running.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// None may be running.
  void start(Check check);
  /// The check, once it is done.
  std::optional<Check> finished();
  /// To be polled: readable once a check is done.
  int descriptor() const { return event_; }

 private:
  int event_ = -1;
  std::optional<Check> check_;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

}  // namespace kr::lsp
