#include "syntax/words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "base/printable.hpp"

namespace kr::syntax {

bool is_word_byte(char c) {
  return is_identifier_byte(c) || c == '-';
}

bool is_word(std::string_view text) {
  return !text.empty() && text.front() != '-' && std::ranges::all_of(text, is_word_byte);
}

std::string quoted_text(std::string_view text) {
  std::string result = "\"";
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
      ++at;
      continue;
    }
    // Bytes that a terminal cannot show are escaped in a rules file too.
    const Glyph glyph = first_glyph(text.substr(at));
    const std::string_view bytes = text.substr(at, glyph.bytes);
    if (glyph.shown == bytes && c != '\t') {
      result += bytes;
    } else {
      result += hex_bytes(bytes);
    }
    at += glyph.bytes;
  }
  return result + '"';
}

std::string label_text(std::string_view label) {
  return is_word(label) ? std::string(label) : quoted_text(label);
}

bool is_file_keyword(std::string_view word) {
  return std::ranges::find(file_keywords, word) != file_keywords.end();
}

bool is_body_keyword(std::string_view word) {
  return std::ranges::find(body_keywords, word) != body_keywords.end();
}

bool is_rules_keyword(std::string_view word) {
  return std::ranges::find(rules_keywords, word) != rules_keywords.end();
}

bool is_metadata_keyword(std::string_view word) {
  return word == "author" || word == "since" || word == "link";
}

bool is_keyword(std::string_view word) {
  constexpr std::string_view others[] = {"as", "extends", "color", "for", "keep", "within", "with"};
  if (word.size() < 2 || word.size() > 10 || word[0] < 'a' || word[0] > 'w') return false;
  // `use std.cost` gives a module this name. The others came later than files that may use them.
  if (word == "cost" || word == "requires" || word == "refine" || is_metadata_keyword(word)) {
    return false;
  }
  return std::ranges::find(others, word) != std::end(others) || is_file_keyword(word) ||
         is_body_keyword(word) || is_rules_keyword(word);
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

std::string_view keyword_for(std::string_view word) {
  constexpr std::pair<std::string_view, std::string_view> known[] = {
      {"import", "use"},       {"require", "use"},       {"let", "pattern"},
      {"define", "pattern"},   {"regex", "pattern"},     {"vocabulary", "labels"},
      {"label", "labels"},     {"framework", "engine"},  {"network", "model"},
      {"phase", "phases"},     {"abbrev", "abbreviate"}, {"shorten", "abbreviate"},
      {"collapse", "fold"},    {"inherits", "extends"},  {"inherit", "extends"},
      {"from", "extends"},     {"inside", "within"},     {"under", "within"},
      {"in", "within"},        {"beneath", "within"},    {"of", "for"},
      {"version", "requires"}, {"else", "otherwise"},    {"default", "otherwise"},
      {"other", "otherwise"},  {"others", "otherwise"},  {"rest", "otherwise"},
  };
  for (const auto& [other, keyword] : known) {
    if (other == word) return keyword;
  }
  return {};
}

}  // namespace kr::syntax
