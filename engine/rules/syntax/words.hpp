// The spelling of names and texts in a rules file, and its keywords.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

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

/// Keywords that begin a declaration of a file.
inline const std::vector<std::string> file_keywords{"use",    "pattern", "labels", "table",
                                                    "cost",   "engine",  "test",   "requires",
                                                    "author", "since",   "link"};
/// Keywords that begin an item of an engine.
inline const std::vector<std::string> body_keywords{
    "detect", "phases", "cost", "fold", "author", "since", "abbreviate", "link", "model"};
/// Keywords that begin an item of a block of rules.
inline const std::vector<std::string> rules_keywords{"refine", "include", "ignore", "continue",
                                                     "otherwise"};
bool is_file_keyword(std::string_view word);
bool is_body_keyword(std::string_view word);
bool is_rules_keyword(std::string_view word);
/// `author`, `since`, `link`: keywords only before a text.
bool is_metadata_keyword(std::string_view word);
/// One of these, or one of another place: it cannot be a name. `cost`, `requires`, `refine` and
/// those of metadata can.
bool is_keyword(std::string_view word);

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words);

/// The keyword for a word that other languages have for it: `import` is `use`; empty: none.
std::string_view keyword_for(std::string_view word);

}  // namespace kr::syntax
