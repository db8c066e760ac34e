// The tokens of a rules file without mistakes, each with the comments before it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "syntax/ast.hpp"
#include "syntax/lookahead.hpp"

namespace kr::layout {

struct Comment {
  std::string_view text;      // without the line break
  bool alone = false;         // the first on its line
  bool blank_before = false;  // after a blank line
};

struct Token {
  syntax::TokenKind kind = syntax::TokenKind::end;
  std::string_view text;
  bool adjacent = false;      // no gap after the previous token
  bool line_before = false;   // a line break after the previous token
  bool blank_before = false;  // a blank line after the previous comment or token
  bool space_after = false;   // in an expression: an operator that is a word, or a comma
  std::vector<Comment> before;

  bool is(std::string_view what) const { return text == what && kind != syntax::TokenKind::string; }
  /// Whether the first comment before it is on the line of the previous token.
  bool trails() const { return !before.empty() && !before.front().alone; }
  /// Whether there is a blank line between it and the previous token.
  bool separated() const;
};

/// The last token is the end of the file, with the comments before it.
std::vector<Token> tokens_of(std::string_view text, const std::vector<syntax::Comment>& comments);

}  // namespace kr::layout
