// Regular expressions that are only a text, possibly anchored.
#pragma once

#include <optional>
#include <string>

#include "regex/regex.hpp"

namespace kr::regex {

struct Text {
  std::string bytes;  // one or more; with `ignore_case`, letters are lower case
  bool ignore_case = false;
  bool at_begin = false;
  bool at_end = false;
};

/// The text that a regular expression matches; none if it is not exactly one text.
std::optional<Text> text_of(const Regex& regex);

/// The byte whose set this is, with or without the flag `i`: 'a' for {a} and for {a, A}.
struct Letter {
  char byte = 0;
  bool single = false;  // the set of the byte without `i`
  bool folded = false;  // the set of the byte with `i`
};
std::optional<Letter> letter_of(const ByteSet& set);

}  // namespace kr::regex
