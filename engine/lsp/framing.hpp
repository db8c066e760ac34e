// The outermost layer of the protocol: a stream of messages, each with a header that contains its
// length.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kr::lsp {

/// `Content-Length: N`, a blank line, the body.
std::string framed(std::string_view body);

/// Splits a stream into bodies. A header that cannot be read is reported once; reading continues at
/// the next `Content-Length`.
class Framer {
 public:
  struct Message {
    std::string body;    // empty if broken
    std::string broken;  // what is wrong with the header; empty if it is valid
  };

  /// Longer headers and bodies are rejected, so that a broken stream does not fill the memory.
  static constexpr size_t max_head = 8192;
  static constexpr size_t max_body = size_t{256} << 20U;

  void feed(std::string_view bytes) { pending_ += bytes; }
  /// The next whole message; nullopt if it needs more bytes.
  std::optional<Message> next();

 private:
  std::optional<Message> refuse(std::string why);
  bool resync();
  std::string pending_;
  bool lost_ = false;  // bytes are skipped up to the next header
};

}  // namespace kr::lsp
