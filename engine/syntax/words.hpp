// Names and texts as a rules file spells them.
#pragma once

#include <string>
#include <string_view>

namespace kr::syntax {

/// A byte of a word: a letter, a digit, `_` or, but for the first, `-`.
bool is_word_byte(char c);

/// Whether it can stand as a name without quotes. Keywords can, in most places.
bool is_word(std::string_view text);

/// Between quotes; bytes that would not be seen as they are become `\xNN`. Not for the empty text,
/// which a rules file does not have.
std::string quoted_text(std::string_view text);

/// A label where a rule gives it.
std::string label_text(std::string_view label);

}  // namespace kr::syntax
