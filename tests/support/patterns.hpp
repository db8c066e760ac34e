// Small patterns and names for property tests: all of a size, and random larger ones.
#pragma once

#include <fmt/format.h>

#include <array>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "regex/regex.hpp"

namespace kr::test {

/// What patterns are put together from: everything that means something, over few bytes.
inline constexpr std::array<std::string_view, 24> pattern_pieces{
    "a", "b",   "(",   ")", "|", "*",     "+",    "?",   "{2}",   "{0,2}", "{2,}", "^",
    "$", "\\b", "\\B", ".", "-", "[a-b]", "[^a]", "\\n", "\\xe9", "(?i:",  "(?:",  "*?"};

inline std::optional<regex::Regex> parsed(std::string_view pattern, bool ignore_case = false) {
  source::SourceMap sources;
  const source::FileId file = sources.add("pattern", std::string(pattern));
  diag::Sink sink;
  return regex::parse(sources.text(file), {file, 0, static_cast<uint32_t>(pattern.size())},
                      {.ignore_case = ignore_case}, sink);
}

/// Calls with each pattern of exactly `pieces` pieces that is one.
template <class Call>
void each_small_pattern(size_t pieces, Call call) {
  std::vector<size_t> at(pieces, 0);
  while (true) {
    std::string pattern;
    for (const size_t piece : at) pattern += pattern_pieces[piece];
    if (const auto regex = parsed(pattern)) call(pattern, *regex);
    size_t i = 0;
    while (i < pieces && ++at[i] == pattern_pieces.size()) at[i++] = 0;
    if (i == pieces) return;
  }
}

/// A pattern of the given depth; always well made, though the dialect may refuse what it repeats.
inline std::string random_pattern(std::mt19937& random, int depth) {
  const auto below = [&random](unsigned n) { return random() % n; };
  static constexpr std::array<std::string_view, 16> leaves{
      "a", "b", "A",   "-",   "\\n",  "\\xe9", ".",  "[ab]",
      "^", "$", "\\b", "\\B", "[^a]", "\\w",   "ab", "[^\\w-]"};
  static constexpr std::array<std::string_view, 9> repeats{"*",  "+",     "?",    "{2}", "{0,2}",
                                                           "*?", "{1,3}", "{2,}", "+?"};
  if (depth == 0) return std::string(leaves[below(leaves.size())]);
  const auto part = [&] { return random_pattern(random, depth - 1); };
  switch (below(5)) {
    case 0:
    case 1:
      return part() + part();
    case 2:
      return fmt::format("({}|{})", part(), part());
    case 3:
      return fmt::format("(?:{}){}", part(), repeats[below(repeats.size())]);
    default:
      return fmt::format("({}{}){}", below(3) == 0 ? "?i:" : "", part(), part());
  }
}

/// All names up to a length over a few bytes that differ in everything patterns can ask.
inline std::vector<std::string> small_names(size_t length) {
  static constexpr std::string_view bytes = "abA-\n\xe9";
  std::vector<std::string> names{""};
  size_t begin = 0;
  for (size_t size = 1; size <= length; ++size) {
    const size_t end = names.size();
    for (size_t i = begin; i < end; ++i) {
      for (const char byte : bytes) names.push_back(names[i] + byte);
    }
    begin = end;
  }
  return names;
}

inline std::string random_name(std::mt19937& random, size_t length) {
  static constexpr std::string_view bytes("aaabbAB-_\n\xe9\x00", 12);
  std::string name;
  for (size_t i = random() % (length + 1); i > 0; --i) name += bytes[random() % bytes.size()];
  return name;
}

}  // namespace kr::test
