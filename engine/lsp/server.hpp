// The language server: fed messages, it gives messages. Reading and writing streams is the
// caller's.
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

  /// One message; what is to be sent because of it, in order.
  std::vector<std::string> receive(std::string_view body);
  /// The stream was broken there.
  std::vector<std::string> broken(std::string_view why) const;

  /// There are documents to be checked, and none is. The caller first feeds what has come in, so
  /// that the changes of a burst are checked once.
  bool has_work() {
    return state_ == State::running && !running_ && workspace_.unpublished() != nullptr;
  }
  /// Begins with one document. The findings of one that does not load are to be sent at once; for
  /// another there is a check to be run, on any thread, and to be finished. It is told to stop when
  /// a message makes it worthless.
  std::vector<std::string> begin_work(std::optional<Check>& check);
  /// What is to be sent once a check has run.
  std::vector<std::string> finish_work(Check check);
  /// Both, on this thread.
  std::vector<std::string> work();

  /// The process is to end with this status: 0 after `shutdown`, 1 without it.
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

  /// A request for code actions, which the findings are needed for.
  struct Waiting {
    std::string id;
    std::string uri;
    uint64_t edited = 0;  // as the document was
    size_t begin = 0;     // bytes
    size_t end = 0;
  };
  std::vector<Waiting> waiting_;
  /// What is known of the check that runs.
  struct Running {
    std::string uri;
    std::shared_ptr<const Analysis> analysis;
    std::shared_ptr<std::atomic<bool>> stop;
  };
  std::optional<Running> running_;
  std::vector<std::string> outbox_;
};

}  // namespace kr::lsp
