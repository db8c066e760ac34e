// The language server: takes messages and returns messages. The caller reads and writes the
// streams.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/features.hpp"
#include "lsp/rpc.hpp"
#include "lsp/workspace.hpp"

namespace kr::lsp {

class Server {
 public:
  Server(source::Library library, std::string version)
      : workspace_(std::move(library)), version_(std::move(version)) {}

  /// Handles one message. Returns the messages to send, in order.
  std::vector<std::string> receive(std::string_view body);
  /// The stream had a message that could not be read.
  std::vector<std::string> broken(std::string_view why) const;

  /// A document needs a check, and no check is running. The caller first passes on all messages
  /// that have arrived, so that several quick changes are checked once.
  bool has_work() {
    return state_ == State::running && !running_ && workspace_.unpublished() != nullptr;
  }
  /// Begins with one document. If it cannot be loaded, returns the messages to send. Otherwise sets
  /// `check`: the caller runs it, on any thread, and passes it to `finish_work`. Its `stop` is set
  /// when a message makes it obsolete.
  std::vector<std::string> begin_work(std::optional<Check>& check);
  /// The messages to send after a check has run.
  std::vector<std::string> finish_work(Check check);

  /// The exit status of the process, after `exit`: 0 after `shutdown`, 1 without it.
  std::optional<int> exit_status() const { return exit_status_; }

 private:
  enum class State : uint8_t { fresh, running, shut_down };

  void handle_request(const Message& message);
  void handle_notification(const Message& message);
  void initialize(const Message& message);
  void change(const JsonValue& params);
  void ask_for_actions(const Message& message);
  void cancel(const JsonValue& params);
  void publish(OpenDocument& document);
  void settle_waiting();
  void stop_stale_check();
  Question question(const JsonValue& params);
  void log(std::string_view text);

  Workspace workspace_;
  std::string version_;
  State state_ = State::fresh;
  Encoding encoding_ = Encoding::utf16;
  std::optional<int> exit_status_;

  /// A request for code actions, which waits for the findings.
  struct Waiting {
    std::string id;
    std::string uri;
    uint64_t edited = 0;  // the state of the document
    size_t begin = 0;     // bytes
    size_t end = 0;
  };
  std::vector<Waiting> waiting_;
  std::optional<Check> running_;  // on another thread: a copy, for its analysis and `stop`
  std::vector<std::string> outbox_;
};

}  // namespace kr::lsp
