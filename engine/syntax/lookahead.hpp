// Single tokens of a rules file, read without a grammar: what a report says was found, and where
// parsing goes on after a mistake. Every function looks at a bounded stretch, or at one that the
// caller then steps over, so that a file of mistakes takes time in proportion to its size.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "syntax/words.hpp"

namespace kr::syntax {

enum class TokenKind { end, word, string, regex, other };

struct Token {
  TokenKind kind = TokenKind::end;
  size_t begin = 0;
  size_t end = 0;
};

class Lookahead {
 public:
  explicit Lookahead(std::string_view text) : text_(text) {}

  /// The byte at `at`; 0 at the end.
  char byte(size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  size_t size() const { return text_.size(); }
  std::string_view slice(size_t begin, size_t end) const {
    return text_.substr(begin, end - begin);
  }
  std::string_view text(const Token& token) const { return slice(token.begin, token.end); }

  /// Past blanks and comments.
  size_t past_gap(size_t at) const;
  /// The token at or after `at`. Strings and regular expressions that are not closed end with
  /// their line.
  Token token(size_t at) const;
  Token next(const Token& token) const { return this->token(token.end); }
  /// The end of the line of `at`, before its line break.
  size_t line_end(size_t at) const;
  /// Only blanks stand before `at` on its line.
  bool first_on_line(size_t at) const;
  /// The end of the last thing before `at` that is no blank.
  size_t before_blanks(size_t at) const;
  /// The token at `at` as a report names it: "`word`", "the text `\"…\"`", "the end of the file".
  std::string describe(size_t at) const;

 private:
  std::string_view text_;
};

}  // namespace kr::syntax
