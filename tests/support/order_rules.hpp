// Order rules as short texts: the letters are a to z. `n > [g+] > r | x, t > [g]` are two chains;
// `^` is start, `$` is end, `.` is any letter. A rule without `[` is an ordinary one.
#pragma once

#include <string>
#include <string_view>

#include "order/matcher.hpp"

namespace kr::test {

inline constexpr size_t alphabet = 26;

inline std::vector<order::Letter> letters(std::string_view text) {
  std::vector<order::Letter> result;
  for (const char c : text) result.push_back(static_cast<order::Letter>(c - 'a'));
  return result;
}

inline std::string text_of(const std::vector<order::Letter>& sequence) {
  std::string text;
  for (const order::Letter letter : sequence) text += static_cast<char>('a' + letter);
  return text;
}

inline order::OrderRule order_rule(std::string_view text) {
  order::OrderRule rule;
  if (text.find('[') == std::string_view::npos) {
    rule.letters.assign(alphabet, 0);
    for (const char c : text) {
      if (c >= 'a') rule.letters[static_cast<size_t>(c - 'a')] = 1;
    }
    return rule;
  }
  order::Chain& chain = rule.chain.emplace();
  chain.takes.assign(alphabet + 2, 0);
  uint32_t step = 0;
  for (const char c : text) {
    const uint64_t taken = uint64_t{1} << step;
    chain.steps.resize(step + 1);
    if (c == '>') ++step;
    if (c == '[') chain.first = step;
    if (c == ']') chain.last = step;
    if (c == '?' || c == '*') chain.steps[step].optional = true;
    if (c == '+' || c == '*') chain.steps[step].repeated = true;
    if (c == '^') chain.takes[alphabet] |= taken;
    if (c == '$') chain.takes[alphabet + 1] |= taken;
    if (c >= 'a' && c <= 'z') chain.takes[static_cast<size_t>(c - 'a')] |= taken;
    if (c == '.') {
      for (size_t letter = 0; letter < alphabet; ++letter) chain.takes[letter] |= taken;
    }
  }
  return rule;
}

/// One scope passes over the letters of `ignore` and continues those of `continued`.
inline order::Block block(std::string_view rules, std::string_view ignore = {},
                          std::string_view continued = {}) {
  order::Block block;
  block.letters = alphabet;
  order::Scope& scope = block.scopes.emplace_back();
  for (size_t letter = 0; letter < alphabet; ++letter) {
    const char c = static_cast<char>('a' + letter);
    scope.passes.push_back(ignore.find(c) != std::string_view::npos ? 1 : 0);
    scope.continues.push_back(continued.find(c) != std::string_view::npos ? 1 : 0);
  }
  while (!rules.empty()) {
    const size_t comma = std::min(rules.find(','), rules.size());
    block.rules.push_back(order_rule(rules.substr(0, comma)));
    rules.remove_prefix(std::min(comma + 1, rules.size()));
  }
  return block;
}

/// By operation: the number of its rule, or `-`.
inline std::string labelled(const order::Block& block, std::string_view sequence) {
  std::vector<uint32_t> rule_of;
  order::Matcher(block).label(letters(sequence), rule_of);
  std::string text;
  for (const uint32_t rule : rule_of) {
    text += rule == order::no_rule ? '-' : static_cast<char>('0' + rule);
  }
  return text;
}

}  // namespace kr::test
