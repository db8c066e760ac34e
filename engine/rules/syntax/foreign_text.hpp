// Texts, names and regular expressions as other languages write them, and what they are here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "syntax/lookahead.hpp"

namespace kr::syntax {

inline constexpr size_t longest_operand = 1000;  // bytes that are read for one operand
inline constexpr size_t longest_shown = 60;      // of them in a message

/// A text between quotes of any language.
struct Quoted {
  size_t begin = 0;
  size_t end = 0;
  std::string_view inside;
  bool ours = false;  // between straight double quotes
};

struct Quotes {
  std::string_view open;
  std::string_view close;
};

/// The text that the quotes at `at` enclose; it ends on its line.
std::optional<Quoted> quoted_with(const Lookahead& look, size_t at, const Quotes& quotes);
/// The same of quotes of any language.
std::optional<Quoted> quoted_at(const Lookahead& look, size_t at);
/// The end of the flags behind quotes that are not ours.
size_t past_flags(const Lookahead& look, size_t at);
/// The end of `aten::mm`; the begin of the word if it is another name.
size_t past_qualified_name(const Lookahead& look, const Token& word);

/// The text as it is written here. The escapes of ours are kept.
std::string as_text(const Quoted& quoted);
/// The expression between slashes.
std::string regex_literal(std::string_view expression);
/// Alternatives for what is between `begin` and `end`: in parentheses if another operator is there.
std::string joined(const Lookahead& look, size_t begin, size_t end,
                   const std::vector<std::string>& items);

}  // namespace kr::syntax
