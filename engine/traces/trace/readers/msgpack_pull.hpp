// Pulls the values of a MessagePack value (https://github.com/msgpack/msgpack, spec.md) one after
// another out of an Input, as JsonPull does those of JSON: whoever reads by one of them reads by
// the other. Memory is a block and what the longest text or number needs beyond it. A count or
// length is believed only as far as there are bytes.
//
// Texts and bytes are strings, maps are objects, whose keys have to be texts. Numbers come as JSON
// has them, with all their digits. A value of an extension type says nothing to kr: it is null.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/input.hpp"
#include "trace/readers/json_pull.hpp"

namespace kr::trace {

class MsgpackPull {
 public:
  static constexpr size_t max_depth = JsonPull::max_depth;
  static constexpr size_t max_token = JsonPull::max_token;

  /// The input has to live as long.
  explicit MsgpackPull(Input& input, size_t block_size = JsonPull::usual_block);

  // As those of JsonPull. They throw Error where the bytes are not MessagePack, JsonCut where they
  // end too early.

  JsonKind value();
  void expect(JsonKind kind);
  std::string_view string();
  std::string_view number();
  /// The number that the cursor is on, if it is a whole one from 0 to 2^63 - 1, and if it is
  /// written as a double that is finite and not negative. Else nothing is taken.
  std::optional<int64_t> whole();
  std::optional<double> real();
  void enter();
  void skip();
  void pass() {
    value();
    skip();
  }
  bool next();
  std::string_view key() const noexcept { return key_; }
  void end();

  uint64_t offset() const noexcept { return offset_; }
  std::string path() const;
  Error error(std::string_view why) const;

 private:
  struct Level {
    uint64_t begin;
    uint64_t left;         // members or items after this one
    uint64_t count = 0;    // so far, this one included
    const char* key = {};  // of the member, for `path`, in the block; null: in kept_keys_
    uint32_t key_size = 0;
    bool object;
    bool within = false;  // in a member or item; else between them
  };
  /// What the byte that begins a value says.
  struct Type {
    JsonKind kind;
    bool valid = true;
    uint8_t size_bytes = 0;   // of the count or length that follows
    uint8_t extra_bytes = 0;  // of an extension: its type
    uint64_t size = 0;        // where no length follows: items, members, or bytes
  };

  static constexpr Type make_type(uint8_t byte) noexcept;
  const Type& type() const noexcept;
  uint64_t place(const char* at) const noexcept {
    return base_ + static_cast<uint64_t>(at - bytes_.get());
  }
  bool more();
  void keep_key(size_t level);
  void need(size_t size);
  uint64_t big_endian(size_t bytes);
  uint64_t size_of(const Type& type);
  void pass_bytes(uint64_t count);
  [[noreturn]] void cut() const;
  [[noreturn]] void wrong(std::string_view why) const;

  Input* input_;
  std::unique_ptr<char[]> bytes_;
  size_t room_;
  uint64_t base_ = 0;  // of bytes_[0] in the file
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool ended_ = false;
  uint64_t offset_ = 0;
  std::string_view key_;
  std::array<char, 40> number_;
  std::vector<Level> levels_;
  std::vector<std::string> kept_keys_;  // by level, the part that is shown
};

}  // namespace kr::trace
