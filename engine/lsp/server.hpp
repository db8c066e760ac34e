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
  Server(Library library, std::string version)
      : workspace_(std::move(library)), version_(std::move(version)) {}

  /// One message; what is to be sent because of it, in order.
  std::vector<std::string> receive(std::string_view body);
  /// The stream was broken there.
  std::vector<std::string> broken(std::string_view why) const;

  /// There are documents to be checked. The caller first feeds what has come in, so that the
  /// changes of a burst are checked once.
  bool has_work() { return state_ == State::running && workspace_.unchecked() != nullptr; }
  /// Checks one document; its findings, to be sent.
  std::vector<std::string> work();

  /// The process is to end with this status: 0 after `shutdown`, 1 without it.
  std::optional<int> exit_status() const { return exit_status_; }

 private:
  enum class State : uint8_t { fresh, running, shut_down };

  void handle_request(const Message& message);
  void handle_notification(const Message& message);
  void initialize(const Message& message);
  void change(const JsonValue& params);
  Question question(const JsonValue& params);
  void log(std::string_view text);

  Workspace workspace_;
  std::string version_;
  State state_ = State::fresh;
  Encoding encoding_ = Encoding::utf16;
  std::optional<int> exit_status_;
  std::vector<std::string> outbox_;
};

}  // namespace kr::lsp
