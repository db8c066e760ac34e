// The tokens of a JSON text, as simdjson's first stage finds them (tens of bytes at a time), and a
// walk over them that checks all it passes.
//
// On-Demand is not used on top of that stage: it leaves unchecked what is passed over, refuses
// names that are not UTF-8, and is slower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kr::trace {

/// Where tokens begin: brackets, colons, commas, and all else that is not a space.
class JsonTokens {
 public:
  JsonTokens();
  ~JsonTokens();
  JsonTokens(const JsonTokens&) = delete;
  JsonTokens& operator=(const JsonTokens&) = delete;

  /// `text` is followed by json_padding zero bytes. False: a string is not closed or has a
  /// control byte; there are no tokens then.
  bool find(std::string_view text);
  /// `count()` places and, behind them, the text's size.
  const uint32_t* starts() const noexcept { return starts_; }
  size_t count() const noexcept { return count_; }

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
  uint32_t end_ = 0;  // the place behind a text without tokens
  const uint32_t* starts_ = &end_;
  size_t count_ = 0;
};

/// A value as it is written.
struct JsonRaw {
  enum class Kind : uint8_t { absent, string, number, null, other };
  std::string_view text;  // of a string what is between the quotes, escapes and all
  Kind kind = Kind::absent;
};

/// Whether `text` is written as JSON has numbers.
bool is_json_number(const std::string& text) noexcept;

/// Goes over tokens. Every function that returns false has met what is not JSON; what it is and
/// where, JsonPull finds.
class JsonWalk {
 public:
  /// Of a text with its tokens; `levels` objects and lists are open around it.
  JsonWalk(std::string_view text, const JsonTokens& tokens, size_t levels);

  /// The first byte of the next token; 0 at the end.
  char peek() const noexcept { return text_[*at_]; }
  size_t place() const noexcept { return *at_; }
  /// A token, to read from there again what was read before.
  using Mark = const uint32_t*;
  Mark mark() const noexcept { return at_; }
  void back_to(Mark mark) noexcept { at_ = mark; }
  /// Over a bracket, colon or comma that `peek` has shown.
  void step() noexcept { ++at_; }
  bool step_over(char wanted) noexcept {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  /// Over a string: what is between its quotes.
  bool string(std::string_view& raw) {
    if (peek() != '"') return false;
    const size_t begin = *at_ + size_t{1};
    size_t end = at_[1] - size_t{1};
    if (text_[end] != '"') end = token_end() - 1;
    // A quote that closes, and not the one that opens.
    if (end < begin || text_[end] != '"') return false;
    raw = {text_ + begin, end - begin};
    ++at_;
    return !backslashes_ || escapes_are_right(raw);
  }
  /// Over a value of any kind.
  bool value(JsonRaw& out) {
    const char first = peek();
    if (first == '"') {
      out.kind = JsonRaw::Kind::string;
      return string(out.text);
    }
    if (first == '{' || first == '[') {
      out = {{}, JsonRaw::Kind::other};
      return nested();
    }
    return scalar(out);
  }

  /// What was stepped over since `begin`, which was a `place()`.
  std::string_view since(size_t begin) const noexcept { return {text_ + begin, *at_ - begin}; }

  /// A string without its escapes: itself, or a text in `to`, which is left as it is where there
  /// are none. It is one that was stepped over.
  std::string_view plain(std::string_view raw, std::string& to) const {
    return backslashes_ ? unescaped(raw, to) : raw;
  }

 private:
  bool scalar(JsonRaw& out) {
    // Most are whole numbers, and nothing is between them and what follows.
    const char* const first = text_ + *at_;
    const char* const next = text_ + at_[1];
    const char* at = first;
    if (*at != '0') {
      while (static_cast<unsigned char>(*at - '0') < 10) ++at;
    }
    if (at != next || at == first) return odd_scalar(out);
    out = {{first, static_cast<size_t>(at - first)}, JsonRaw::Kind::number};
    ++at_;
    return true;
  }

  size_t token_end() const noexcept;
  bool odd_scalar(JsonRaw& out);
  bool nested();
  bool escapes_are_right(std::string_view raw);
  std::string_view unescaped(std::string_view raw, std::string& to) const;

  const char* text_;
  const uint32_t* at_;
  size_t levels_;
  bool backslashes_;               // there are some
  std::vector<uint64_t> objects_;  // one bit per level that is open in `nested`: it is not a list
  std::string unescaped_;
};

}  // namespace kr::trace
