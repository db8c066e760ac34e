// The outermost layer of the protocol: messages in a stream of bytes, each behind a head that says
// how long it is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kr::lsp {

/// `Content-Length: N`, a blank line, the body.
std::string framed(std::string_view body);

/// Cuts a stream into bodies. A head that cannot be read is reported once; reading goes on at the
/// next `Content-Length`.
class Framer {
 public:
  struct Message {
    std::string body;    // empty where broken
    std::string broken;  // what was wrong with the head; empty: nothing
  };

  /// Longer heads and bodies are refused, so that a broken stream does not fill the memory.
  static constexpr size_t max_head = 8192;
  static constexpr size_t max_body = size_t{256} << 20U;

  void feed(std::string_view bytes) { pending_ += bytes; }
  /// The next whole message; none: more bytes are needed.
  std::optional<Message> next();
  /// Whether the stream stands in the middle of a message.
  bool mid_message() const { return at_ < pending_.size(); }

 private:
  std::optional<Message> refuse(std::string why);
  bool resync();
  std::string pending_;
  size_t at_ = 0;      // bytes before it are done with
  bool lost_ = false;  // bytes are skipped up to the next head
};

}  // namespace kr::lsp
