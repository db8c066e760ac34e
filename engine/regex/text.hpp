// Regular expressions that are no more than a text, perhaps anchored.
#pragma once

#include <optional>
#include <string>

#include "regex/regex.hpp"

namespace kr::regex {

struct Text {
  std::string bytes;  // one or more; with `ignore_case`, letters are small
  bool ignore_case = false;
  bool at_begin = false;
  bool at_end = false;
};

/// The text that a regular expression is, exactly; none where it is not a text.
std::optional<Text> text_of(const Regex& regex);

/// The byte of a set that `i` or nothing explains: 'a' for {a} and for {a, A}.
struct Letter {
  char byte = 0;
  bool single = false;  // without `i`
  bool folded = false;  // with it
};
std::optional<Letter> letter_of(const ByteSet& set);

}  // namespace kr::regex
