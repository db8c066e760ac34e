#include "layout/tokens.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace kr::layout {

using syntax::TokenKind;

bool Token::separated() const {
  return blank_before ||
         std::ranges::any_of(before, [](const Comment& comment) { return comment.blank_before; });
}

namespace {

/// The offset after the slash that closes the regular expression at `at`.
size_t past_regex(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '/'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

/// `own` and `op` may also be variables of formulas.
bool takes_operand(const Token& word, std::string_view text, size_t slash) {
  if (word.is("within") || word.is("fold")) return true;
  const size_t end = past_regex(text, slash);
  return (word.is("own") || word.is("op")) && end > slash + 1 && text[end - 1] == '/';
}

}  // namespace

std::vector<Token> tokens_of(std::string_view text, const std::vector<syntax::Comment>& comments) {
  const syntax::Lookahead look(text);
  std::vector<Token> tokens;
  size_t at = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  auto comment = comments.begin();
  const auto breaks = [&](size_t from, size_t to) {
    return std::count(text.begin() + static_cast<std::ptrdiff_t>(from),
                      text.begin() + static_cast<std::ptrdiff_t>(to), '\n');
  };
  while (true) {
    syntax::Token seen = look.token(at);
    if (look.byte(seen.begin) == '/') {
      // In `test vllm / llama` the slash is a separator, and in formulas it divides. A regular
      // expression does not follow a name, a number or what is closed.
      const size_t count = tokens.size();
      const bool word = count > 0 && tokens.back().kind == TokenKind::word;
      const bool test = count > 1 && tokens[count - 2].is("test");  // `test within / default`
      const bool divides = (word && (test || !takes_operand(tokens.back(), text, seen.begin))) ||
                           (count > 0 && (tokens.back().is(")") || tokens.back().is("]")));
      seen.kind = divides ? TokenKind::other : TokenKind::regex;
      seen.end = divides ? seen.begin + 1 : past_regex(text, seen.begin);
    }
    Token token;
    token.kind = seen.kind;
    token.text = look.text(seen);
    token.adjacent = seen.begin == at && !tokens.empty();
    token.line_before = breaks(at, seen.begin) > 0;
    size_t above = at;
    for (; comment != comments.end() && comment->span.begin < seen.begin; ++comment) {
      const auto between = breaks(above, comment->span.begin);
      token.before.push_back({look.slice(comment->span.begin, comment->span.end),
                              between > 0 || tokens.empty(), between > 1});
      above = comment->span.end;
    }
    token.blank_before = breaks(above, seen.begin) > 1;
    tokens.push_back(std::move(token));
    if (seen.kind == TokenKind::end) return tokens;
    at = seen.end;
  }
}

}  // namespace kr::layout
