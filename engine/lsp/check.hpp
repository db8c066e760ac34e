// The check of one document, on a thread of its own, so that the server can answer requests
// meanwhile.
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

/// Results of matching and proving that are kept from edit to edit. One check at a time uses them.
struct Remembered {
  std::shared_ptr<match::MatchMemo> matches = std::make_shared<match::MatchMemo>();
  prove::ProofMemo proofs;
};

struct Check {
  std::string uri;
  std::shared_ptr<Analysis> analysis;
  std::vector<lint::Used> used_elsewhere;
  std::shared_ptr<Remembered> remembered;
  /// Set by any thread: the findings are no longer needed.
  std::shared_ptr<std::atomic<bool>> stop = std::make_shared<std::atomic<bool>>(false);

  std::vector<diag::Diagnostic> findings;
  std::string trouble;         // why the check failed; empty if it did not
  std::exception_ptr failure;  // an InternalError, for the thread that finishes the check

  /// Sets `findings`, `trouble` or `failure`. May run on any thread while others read `analysis`.
  void run() noexcept;
};

/// Runs one check at a time on a thread of its own.
class Worker {
 public:
  /// Throws Error if the system has no file descriptor left.
  Worker();
  /// Stops the running check.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// No other check may be running.
  void start(Check check);
  /// The check, if it is done.
  std::optional<Check> finished();
  /// Readable, for poll(), when a check is done.
  int descriptor() const { return event_; }

 private:
  int event_ = -1;
  std::optional<Check> check_;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

}  // namespace kr::lsp
