#include "convert/from_python.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "base/integer.hpp"
#include "base/printable.hpp"
#include "base/utf8.hpp"

namespace kr::convert {
namespace {

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}
class Rewriter {
 public:
  explicit Rewriter(std::string_view pattern) : rest_(pattern) {}

  PortedPattern rewrite() {
    leading_flags();
    while (!rest_.empty()) item();
    return std::move(result_);
  }

 private:
  void leading_flags() {
    while (rest_.starts_with("(?")) {
      const size_t end = rest_.find_first_not_of("aisu", 2);
      if (end == 2 || end == rest_.npos || rest_[end] != ')') return;
      if (rest_.substr(2, end - 2).find('i') != rest_.npos) result_.ignore_case = true;
      rest_.remove_prefix(end + 1);
    }
  }

  void item() {
    if (rest_.front() == '\\') return escape();
    if (in_class_) return class_item();
    if (rest_.front() == '[') {
      take(rest_.substr(1).starts_with('^') ? 2 : 1);
      in_class_ = true;
      if (rest_.starts_with(']')) take(1);
      return;
    }
    if (rest_.starts_with("(?")) return group();
    if (rest_.starts_with("{,")) return repeat();
    byte();
  }

  void class_item() {
    if (rest_.front() == ']') in_class_ = false;
    byte();
  }

  void byte() {
    const auto value = static_cast<unsigned char>(rest_.front());
    if (value == '/') {
      result_.text += "\\/";
    } else if (value < 0x20 || value == 0x7f) {
      result_.text += hex_byte(static_cast<char>(value));
    } else {
      result_.text += rest_.front();
    }
    rest_.remove_prefix(1);
  }

  void group() {
    if (rest_.starts_with("(?#")) {
      const size_t end = rest_.find(')');
      if (end == rest_.npos) return take(3);  // the dialect rejects it
      rest_.remove_prefix(end + 1);
      return;
    }
    if (rest_.starts_with("(?P<")) {
      const size_t end = rest_.find('>');
      if (end == rest_.npos) return take(4);
      rest_.remove_prefix(end + 1);
      result_.text += "(?:";
      return;
    }
    const size_t end = rest_.find_first_not_of("aisu", 2);
    if (end != rest_.npos && end > 2 && rest_[end] == ':') {
      const bool folds = rest_.substr(2, end - 2).find('i') != rest_.npos;
      result_.text += folds ? "(?i:" : "(?:";
      rest_.remove_prefix(end + 1);
      return;
    }
    take(2);
  }

  void repeat() {
    size_t end = 2;
    while (end < rest_.size() && is_digit(rest_[end])) ++end;
    if (end == rest_.size() || rest_[end] != '}') return take(1);
    result_.text += "{0";
    rest_.remove_prefix(1);
    take(end);
  }

  void escape() {
    if (rest_.size() < 2) return take(1);
    const char c = rest_[1];
    const auto value = static_cast<unsigned char>(c);
    if (c == 'Z' && !in_class_) {
      result_.text += '$';
      rest_.remove_prefix(2);
    } else if (c == '_' || value >= 0x80) {
      rest_.remove_prefix(1);
      byte();
    } else if (value < 0x20 || value == 0x7f) {
      result_.text += hex_byte(static_cast<char>(value));
      rest_.remove_prefix(2);
    } else if (c == '0') {
      octal();
    } else if (c == 'x' || c == 'u' || c == 'U') {
      numbered(c == 'x' ? 2 : c == 'u' ? 4 : 8);
    } else {
      take(2);
    }
  }

  void octal() {
    size_t end = 2;
    while (end < rest_.size() && end < 4 && is_octal(rest_[end])) ++end;
    unsigned value = 0;
    for (const char c : rest_.substr(2, end - 2))
      value = value * 8 + static_cast<unsigned>(c - '0');
    result_.text += hex_byte(static_cast<char>(value));
    rest_.remove_prefix(end);
  }

  /// `\xe9` is the character U+00E9 in Python: two bytes of a name.
  void numbered(size_t digits) {
    const std::string_view hex = rest_.substr(2, digits);
    const auto point = integer_from<uint32_t>(hex, 16);
    if (hex.size() < digits || !point) return take(2);
    if (*point < 0x80) {
      result_.text += hex_byte(static_cast<char>(*point));
    } else if (in_class_ || *point > 0x10ffff) {
      // A class cannot contain the character: the dialect rejects it as written.
      result_.text += "\\u";
      rest_.remove_prefix(2);
      return;
    } else {
      std::string character;
      append_utf8(character, *point);
      result_.text += "(?:" + hex_bytes(character) + ")";
    }
    rest_.remove_prefix(2 + digits);
  }

  void take(size_t count) {
    result_.text += rest_.substr(0, count);
    rest_.remove_prefix(count);
  }

  std::string_view rest_;
  PortedPattern result_;
  bool in_class_ = false;
};

}  // namespace

PortedPattern from_python(std::string_view pattern) {
  return Rewriter(pattern).rewrite();
}

}  // namespace kr::convert
