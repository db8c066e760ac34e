// Strings, with all that can stand in them.
#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "trace/readers/json_pull.hpp"
#include "trace/readers/json_scan.hpp"
#include "trace/readers/json_text.hpp"

namespace kr::trace {
std::string_view JsonPull::text() {
  const char* const begin = at_ + 1;
  const char* const stop = string_stop(begin);
  if (*stop != '"') return text_with_escapes(static_cast<size_t>(stop - at_));
  at_ = stop + 1;
  return {begin, static_cast<size_t>(stop - begin)};
}

// `at` counts from the opening quote, which stays where the cursor is.
std::string_view JsonPull::text_with_escapes(size_t at) {
  unescaped_.clear();
  size_t copied = 1;
  while (true) {
    const char c = at_[at];
    if (c == '"') break;
    if (at_ + at == end_) {
      if (!more(at_)) cut();
    } else if (c == '\\') {
      unescaped_.append(at_ + copied, at - copied);
      at = copied = escape(at);
    } else {
      wrong(at_ + at, "a string contains a control byte that is not escaped");
    }
    at = static_cast<size_t>(string_stop(at_ + at) - at_);
  }
  const char* const begin = at_ + 1;
  at_ += at + 1;
  if (copied == 1) return {begin, at - 1};
  unescaped_.append(at_ - 1 - (at - copied), at - copied);
  return unescaped_;
}

// The character of the escape at `at`; where it ends.
size_t JsonPull::escape(size_t at) {
  hold(at + 12);
  if (at_ + at + 1 == end_) cut();
  const char c = at_[at + 1];
  if (c != 'u') {
    const char meant = short_escape(c);
    if (meant == '\0') wrong(at_ + at, "a string contains an invalid escape");
    unescaped_ += meant;
    return at + 2;
  }
  constexpr std::string_view half = "a string contains half a character (a lone surrogate)";
  const uint32_t first = hex4(at + 2);
  if (first < 0xd800 || first > 0xdfff) {
    append_utf8(unescaped_, first);
    return at + 6;
  }
  if (first > 0xdbff) wrong(at_ + at, half);
  for (size_t i = 0; i < 2; ++i) {
    if (at_ + at + 6 + i == end_) cut();
    if (at_[at + 6 + i] != "\\u"[i]) wrong(at_ + at, half);
  }
  const uint32_t second = hex4(at + 8);
  if (second < 0xdc00 || second > 0xdfff) wrong(at_ + at, half);
  append_utf8(unescaped_, 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
  return at + 12;
}

uint32_t JsonPull::hex4(size_t at) {
  uint32_t code = 0;
  for (size_t i = at; i < at + 4; ++i) {
    if (at_ + i == end_) cut();
    const int value = hex_value(at_[i]);
    if (value < 0) wrong(at_ + i, "a string contains an invalid escape");
    code = code * 16 + static_cast<uint32_t>(value);
  }
  return code;
}

}  // namespace kr::trace
