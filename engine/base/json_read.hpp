// JSON texts as values: for tables of rules and for the language server's messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kr {

struct JsonMember;

/// A value and all that is in it. Members are in the order written, equal keys each for itself.
struct JsonValue {
  enum class Kind : uint8_t { null, boolean, integer, number, string, array, object };

  Kind kind = Kind::null;
  bool boolean = false;
  int64_t integer = 0;  // integer: a number written without point and exponent that fits
  double number = 0;    // integer and number
  std::string string;   // UTF-8; may contain NUL bytes
  std::vector<JsonValue> items;
  std::vector<JsonMember> members;
  uint64_t begin = 0;  // where its text begins in the whole, in bytes

  /// The first member of that key; null where there is none, or where this is not an object.
  const JsonValue* find(std::string_view key) const;
};

struct JsonMember {
  std::string key;
  uint64_t key_begin = 0;  // of its opening quote
  JsonValue value;
};

/// `an object`, `a string`, for messages.
std::string_view to_string(JsonValue::Kind kind) noexcept;

/// Objects and arrays may be nested this deep.
inline constexpr int max_json_depth = 256;

/// The value of a whole text; a byte order mark before it is stepped over. Throws Error with `path`
/// and the line and byte offset of the first mistake: what is not JSON, bytes that are not UTF-8,
/// escapes of half a character (`\ud800`), nesting beyond max_json_depth.
JsonValue parse_json(std::string_view text, const std::string& path);

}  // namespace kr
