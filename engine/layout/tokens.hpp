// The tokens of a rules file without mistakes, each with the comments that stand before it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "syntax/ast.hpp"
#include "syntax/lookahead.hpp"

namespace kr::layout {

struct Comment {
  std::string_view text;      // without the line break
  bool alone = false;         // nothing stands before it on its line
  bool blank_before = false;  // a blank line parts it from what stands above
};

struct Token {
  syntax::TokenKind kind = syntax::TokenKind::end;
  std::string_view text;
  bool glued = false;         // follows the token before it without a gap
  bool line_before = false;   // a line break parts it from the token before it
  bool blank_before = false;  // a blank line parts it from the comment or token above
  std::vector<Comment> before;

  bool is(std::string_view what) const { return text == what && kind != syntax::TokenKind::string; }
  /// Whether the first comment before it stands behind the token that precedes.
  bool trails() const { return !before.empty() && !before.front().alone; }
  /// Whether a blank line stands anywhere between it and the token that precedes.
  bool parted() const;
};

/// The last token is the end of the file, with the comments before it.
std::vector<Token> tokens_of(std::string_view text, const std::vector<syntax::Comment>& comments);

}  // namespace kr::layout
