// Pulls the values of a JSON text one after another out of an Input, whatever its size.
//
// Memory is a block and what the longest token needs beyond it; open objects and lists are kept on
// a stack of our own. All that is passed over is checked as strictly as what is read, but for bytes
// of strings that are not UTF-8 (names are any bytes) and for `NaN`, `Infinity` and `-Infinity`,
// which Python writes and which come as numbers.
//
//     JsonPull json(input);
//     if (json.value() != JsonKind::object) throw json.error("is not an object");
//     json.enter();
//     while (json.next()) {
//       if (json.key() == "name" && json.value() == JsonKind::string) use(json.string());
//       else json.pass();
//     }
//     json.end();
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/json_read.hpp"
#include "trace/input.hpp"

namespace kr::trace {

/// Never `integer`: callers read numbers if they need them.
using JsonKind = JsonValue::Kind;

/// The text ends before its value does.
class JsonCut : public Error {
 public:
  using Error::Error;
};

class JsonPull {
 public:
  static constexpr size_t usual_block = size_t{256} << 10;
  /// Objects and lists may be open this deep.
  static constexpr size_t max_depth = 10'000;
  /// A string or number may have this many bytes.
  static constexpr size_t max_token = size_t{64} << 20;

  /// The input has to live as long. A byte order mark is stepped over.
  explicit JsonPull(Input& input, size_t block_size = usual_block);

  // All of these throw Error where the text is not JSON, JsonCut where it ends too early.

  /// Goes to the next value: the whole text's, or after `next` the member's or item's. Then one of
  /// the following takes it.
  JsonKind value();
  /// The same, of a value that has to be of that kind.
  void expect(JsonKind kind);
  /// The string the cursor is on, without escapes. Until the next call.
  std::string_view string() { return text(); }
  /// The number as it is written. Until the next call.
  std::string_view number();
  bool boolean();
  /// Into the object or list the cursor is on.
  void enter();
  /// Over the value the cursor is on, whatever it is.
  void skip();
  /// Over the next value: `value` and `skip`.
  void pass() {
    value();
    skip();
  }

  /// In an object or list, to its next member or item; false, and out of it, at its end.
  bool next();
  /// The member's key, without escapes. Until the next call.
  std::string_view key() const noexcept { return key_; }

  /// After the whole value: nothing follows but white space.
  void end();
  /// The same as a question: what follows may be a value again.
  bool at_end();

  // A list that is read elsewhere, in part or whole. Between two items: after `enter`, before
  // `next`.

  /// What has been read of the input and is still to come here.
  std::string_view rest() const noexcept { return {at_, static_cast<size_t>(end_ - at_)}; }
  /// Where that begins.
  uint64_t rest_offset() const noexcept { return place(at_); }
  /// `items` more were read elsewhere. On them follow `bytes`, which are at `offset`, and then,
  /// unless they are the `last`, what the input still gives.
  void resume(uint64_t items, std::string_view bytes, uint64_t offset, bool last);

  size_t depth() const noexcept { return levels_.size(); }
  /// Where the key, value or, at its end, object or list begins that was looked at last.
  uint64_t offset() const noexcept { return offset_; }
  /// Where that is in the value: `decode_3.summary_stats[0].entry`; empty: the whole.
  std::string path() const;
  /// PATH and what is wrong with it: `is not an object`. At `offset()`.
  Error error(std::string_view why, std::string remedy = usual_remedy()) const;
  static std::string usual_remedy();

 private:
  struct Level {
    uint64_t begin;        // of its bracket
    uint64_t count = 0;    // members or items so far, this one included
    const char* key = {};  // of the member, for `path`, in the block; null: in kept_keys_
    uint32_t key_size = 0;
    bool object;
    bool within = false;  // in a member or item; else between them
  };

  uint64_t place(const char* at) const noexcept {
    return base_ + static_cast<uint64_t>(at - bytes_.get());
  }
  bool more(const char* keep);
  bool hold(size_t size);
  void spaces();
  void unusual_spaces();
  void literal(std::string_view word);
  std::string_view text();
  std::string_view text_with_escapes(size_t at);
  void unescape(std::string_view raw);
  void keep_key(size_t level);
  void run_ahead(size_t floor);
  void scalar();
  [[noreturn]] void cut() const;
  [[noreturn]] void wrong(const char* at, std::string_view why) const;
  [[noreturn]] void missing(std::string_view what) const;

  Input* input_;
  std::unique_ptr<char[]> bytes_;  // room_ and json_padding
  size_t room_;
  uint64_t base_ = 0;  // of bytes_[0] in the text
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool ended_ = false;

  JsonKind kind_ = JsonKind::null;
  bool colon_ = false;  // is still to come before the value
  uint64_t offset_ = 0;
  std::string_view key_;
  std::string unescaped_;
  std::vector<Level> levels_;
  std::vector<std::string> kept_keys_;  // by level, the part that is shown
};

}  // namespace kr::trace
