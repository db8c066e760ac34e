// JSON-RPC 2.0: splits a stream into messages, reads requests, writes responses. Knows nothing
// about rules.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_read.hpp"
#include "base/json_writer.hpp"
#include "lsp/text.hpp"

namespace kr::lsp {

enum class ErrorCode : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  not_initialized = -32002,
  request_failed = -32803,
  content_modified = -32801,
  request_cancelled = -32800,
};

/// Why a request failed; becomes the error response.
class RequestError : public std::exception {
 public:
  RequestError(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}
  ErrorCode code() const noexcept { return code_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorCode code_;
  std::string message_;
};

struct Message {
  std::string id;  // as JSON; empty: a notification
  std::string method;
  JsonValue params;  // null if there are none
};

/// A message from the client; nullopt for a response, which the server does not need. Throws
/// RequestError; `id` is then the message's id if it could be read, else `null`.
std::optional<Message> read_message(std::string_view body, std::string& id);

/// Writes JSON in valid UTF-8, from any bytes.
class Writer : public JsonWriter {
 public:
  using JsonWriter::JsonWriter;
  void text(std::string_view value) { JsonWriter::text(valid_utf8(value)); }
  Writer& key(std::string_view name) {
    JsonWriter::key(name);
    return *this;
  }
  void boolean(bool value) { number(value); }
  void place(lsp::Place where) {
    open('{');
    key("line").number(where.line);
    key("character").number(where.column);
    close('}');
  }
  void range(Range range) {
    open('{');
    key("start").place(range.begin);
    key("end").place(range.end);
    close('}');
  }
  /// The structures of the protocol: Location, TextEdit, MarkupContent.
  void location(std::string_view uri, Range range) {
    open('{');
    key("uri").text(uri);
    key("range").range(range);
    close('}');
  }
  void edit(Range range, std::string_view text) {
    open('{');
    key("range").range(range);
    key("newText").text(text);
    close('}');
  }
  void markdown(std::string_view text) {
    open('{');
    key("kind").text("markdown");
    key("value").text(text);
    close('}');
  }
};

using Fill = std::function<void(Writer&)>;
std::string answer(std::string_view id, const Fill& result);
std::string error_answer(std::string_view id, ErrorCode code, std::string_view message);
std::string notification(std::string_view method, const Fill& params);

/// An id as JSON. Throws RequestError if it is neither a string nor a whole number.
std::string id_text(const JsonValue& id);

/// Members of params. Throw RequestError (invalid params) naming what is missing.
const JsonValue& member(const JsonValue& object, std::string_view key);
const std::string& string_member(const JsonValue& object, std::string_view key);
Place place_of(const JsonValue& value);
Range range_of(const JsonValue& value);

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
