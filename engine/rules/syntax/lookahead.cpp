#include "syntax/lookahead.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "base/printable.hpp"

namespace kr::syntax {
namespace {

constexpr size_t longest_token = 40;  // bytes of one in a message

/// The offset after the closing delimiter of the token at `at`; the end of the line if it is
/// missing.
size_t past_closing(std::string_view text, size_t at) {
  const char mark = text[at];
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == mark) return at + 1;
    if (text[at] == '\\' && at + 1 < text.size() && text[at + 1] != '\n') ++at;
  }
  return at;
}

}  // namespace

size_t Lookahead::past_gap(size_t at) const {
  while (at < text_.size()) {
    if (is_blank(text_[at])) {
      ++at;
    } else if (text_[at] == '#') {
      at = line_end(at);
    } else {
      break;
    }
  }
  return at;
}

Token Lookahead::token(size_t at) const {
  at = past_gap(at);
  if (at >= text_.size()) return {TokenKind::end, text_.size(), text_.size()};
  const char c = text_[at];
  if (is_word_byte(c) && c != '-') {
    size_t end = at + 1;
    while (end < text_.size() && is_word_byte(text_[end])) ++end;
    return {TokenKind::word, at, end};
  }
  if (c == '"') return {TokenKind::string, at, past_closing(text_, at)};
  // `vllm/llama` is not a regular expression.
  if (c == '/' && !(at > 0 && is_word_byte(text_[at - 1]) && is_word_byte(byte(at + 1)))) {
    return {TokenKind::regex, at, past_closing(text_, at)};
  }
  size_t end = at + 1;
  if ((c == '=' || c == '-') && byte(end) == '>') ++end;
  if (c == '>' && byte(end) == '=') ++end;
  if (static_cast<unsigned char>(c) >= 0x80) end = at + first_glyph(text_.substr(at, 4)).bytes;
  return {TokenKind::other, at, end};
}

size_t Lookahead::line_end(size_t at) const {
  return std::min(text_.find('\n', at), text_.size());
}

size_t Lookahead::line_end(size_t at, size_t limit) const {
  const std::string_view rest = slice(at, at + limit);
  return at + std::min(rest.find('\n'), rest.size());
}

bool Lookahead::first_on_line(size_t at) const {
  while (at > 0 && (text_[at - 1] == ' ' || text_[at - 1] == '\t')) --at;
  return at == 0 || text_[at - 1] == '\n';
}

size_t Lookahead::before_blanks(size_t at) const {
  while (at > 0 && is_blank(text_[at - 1])) --at;
  return at;
}

std::string Lookahead::describe(size_t at) const {
  const Token token = this->token(at);
  if (token.kind == TokenKind::end) return "the end of the file";
  const std::string_view what = token.kind == TokenKind::string ? "the text " : "";
  return fmt::format("{}`{}`", what, excerpt(text(token), longest_token));
}

}  // namespace kr::syntax
