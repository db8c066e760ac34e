// The spelling of names and texts in a rules file.
#pragma once

#include <string>
#include <string_view>

namespace kr::syntax {

/// A byte of a word: a letter, a digit, `_`, or `-` except at the start.
bool is_word_byte(char c);

/// Whether `text` can be a name without quotes. Keywords can be names in most places.
bool is_word(std::string_view text);

/// `text` in quotes; unprintable bytes become `\xNN`. `text` must not be empty: rules files have no
/// empty texts.
std::string quoted_text(std::string_view text);

/// The label as a rule spells it.
std::string label_text(std::string_view label);

}  // namespace kr::syntax
