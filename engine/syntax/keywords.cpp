#include "syntax/keywords.hpp"

#include <algorithm>
#include <array>

namespace kr::syntax {
namespace {

template <class List>
bool has(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != std::end(list);
}

constexpr std::string_view others[] = {"as", "extends", "color", "for", "keep", "within"};

}  // namespace

std::span<const std::string> file_keywords() {
  static const std::array<std::string, 6> words{"use",   "pattern", "labels",
                                                "table", "engine",  "test"};
  return words;
}

std::span<const std::string> body_keywords() {
  static const std::array<std::string, 5> words{"detect", "phases", "fold", "abbreviate", "model"};
  return words;
}

std::span<const std::string> rules_keywords() {
  static const std::array<std::string, 4> words{"replace", "drop", "include", "otherwise"};
  return words;
}

bool is_file_keyword(std::string_view word) {
  return has(file_keywords(), word);
}

bool is_body_keyword(std::string_view word) {
  return has(body_keywords(), word);
}

bool is_rules_keyword(std::string_view word) {
  return has(rules_keywords(), word);
}

bool is_keyword(std::string_view word) {
  if (word.size() < 2 || word.size() > 10 || word[0] < 'a' || word[0] > 'w') return false;
  return has(others, word) || is_file_keyword(word) || is_body_keyword(word) ||
         is_rules_keyword(word);
}

}  // namespace kr::syntax
