// Reads single tokens of a rules file without the grammar, for error messages and recovery. Every
// function reads a bounded number of bytes, or bytes that the caller then skips, so the time for a
// file of mistakes is linear in its size.
#pragma once

#include <algorithm>
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

inline bool is_word(const Token& token) {
  return token.kind == TokenKind::word;
}

class Lookahead {
 public:
  explicit Lookahead(std::string_view text) : text_(text) {}

  /// The byte at `at`; 0 at the end.
  char byte(size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  size_t size() const { return text_.size(); }
  /// Of what is beyond the end, nothing.
  std::string_view slice(size_t begin, size_t end) const {
    return begin < end ? text_.substr(std::min(begin, text_.size()), end - begin)
                       : std::string_view();
  }
  std::string_view text(const Token& token) const { return slice(token.begin, token.end); }

  /// The offset after blanks and comments.
  size_t past_gap(size_t at) const;
  /// The token at or after `at`. Unclosed strings and regular expressions end with their line.
  Token token(size_t at) const;
  Token next(const Token& token) const { return this->token(token.end); }
  /// The end of the line of `at`, before its line break.
  size_t line_end(size_t at) const;
  /// The same, or `limit` bytes after `at` if the line is longer.
  size_t line_end(size_t at, size_t limit) const;
  /// Whether only blanks precede `at` on its line.
  bool first_on_line(size_t at) const;
  /// The end of the last non-blank byte before `at`.
  size_t before_blanks(size_t at) const;
  /// The token at `at` for messages: "`word`", "the text `\"…\"`", "the end of the file".
  std::string describe(size_t at) const;

 private:
  std::string_view text_;
};

}  // namespace kr::syntax
