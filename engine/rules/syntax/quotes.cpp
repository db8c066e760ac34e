// Builder: quotes without a partner.
#include <algorithm>

#include "base/printable.hpp"
#include "syntax/builder.hpp"
#include "syntax/words.hpp"

namespace kr::syntax {
namespace {

bool is_word_or_quote(char c) {
  return is_word_byte(c) || c == '"';
}

}  // namespace

/// Whether the line has an odd number of quotes after `begin`: a quote is missing before it.
bool Builder::odd_quotes(size_t begin) const {
  const size_t end = std::min(text_.size(), begin + guess_bytes);
  bool odd = false;
  for (size_t at = begin; at < end && text_[at] != '\n'; ++at) {
    if (text_[at] == '\\') {
      ++at;
    } else if (text_[at] == '"') {
      odd = !odd;
    } else if (text_[at] == '#' && !odd) {
      break;
    }
  }
  return odd;
}

size_t Builder::unpaired_quotes(size_t begin) {
  const size_t end = look_.line_end(begin);
  if (is_first_report(begin)) {
    diag::Diagnostic& added =
        sink_.add(diag::code::unterminated_text, range(begin, look_.before_blanks(end)))
            .help("the quotes of this line are unbalanced; write `\\\"` for a quote in a text");
    suggest_quote(added, begin);
  }
  return end;
}

/// `"gemm | "moe"`: the text of the first quotes ends with an operator, so its quote is missing.
void Builder::suggest_quote(diag::Diagnostic& added, size_t begin) const {
  const size_t line = look_.line_end(begin, guess_bytes);
  for (Token token = look_.token(begin); token.begin < line; token = look_.next(token)) {
    if (token.kind != TokenKind::string) continue;
    const std::string_view text = look_.text(token);
    const size_t sign = text.find_last_not_of(" \"!^(");
    if (sign == text.npos || sign < 2 || (text[sign] != '|' && text[sign] != '&')) continue;
    const size_t end = look_.before_blanks(token.begin + sign);
    added.span = range(token.begin, end);
    added.help("add `\"`: `{}`", excerpt(fmt::format("{}\"", look_.slice(token.begin, end)), 60))
        .suggest(range(end, end), "\"");
    return;
  }
}

/// A quote without a partner at a label or a name: `gemm": "x"`, `"gemm: "x"`, `name" => …`.
bool Builder::stray_quote(const Token& token, size_t& at) {
  const std::string_view text = look_.text(token);
  const bool rules = level() == Level::rules;
  const bool test = level() == Level::test;
  if (!rules && !test && level() != Level::labels) return false;
  if (token.kind == TokenKind::word && odd_quotes(token.end)) {
    const size_t quote = std::min(text_.find('"', token.end), text_.size());
    const Token after = look_.token(quote + 1);
    const std::string_view sign = look_.text(after);
    const bool whole = test && (sign == "=>" || sign == "within" || sign == ">");
    if (!whole && (test || quote != token.end)) return false;
    diag::Diagnostic& added = sink_.add(diag::code::unterminated_text, range(quote, quote + 1));
    added.message = "no text begins before this `\"`";
    if (whole) {
      added.help("write a `\"` before the name too: `\"{}`", excerpt(text, longest_word))
          .replace(range(token.begin, token.begin), "\"");
    } else {
      added.help("remove it: `{}`", excerpt(text, longest_word))
          .replace(range(quote, quote + 1), "");
    }
  } else if (token.kind == TokenKind::string && !test && is_word_or_quote(look_.byte(token.end)) &&
             odd_quotes(token.begin)) {
    // The quote that closes it should open the next text.
    std::string_view label = text.substr(1, text.size() - 2);
    const bool colon = rules && label.find(':') != label.npos;
    if (colon) label = label.substr(0, label.find(':'));
    label = label.substr(0, label.find_last_not_of(' ') + 1);
    if (!is_word(label) || (rules && !colon)) return false;
    sink_.add(diag::code::unterminated_text, range(token.begin, token.begin + 1)).message =
        "no `\"` closes this text";
    sink_.last().help("remove it: `{}`", label).replace(range(token.begin, token.begin + 1), "");
  } else {
    return false;
  }
  (void)is_first_report(token.begin);
  at = look_.line_end(token.begin);
  const size_t last = look_.before_blanks(at);
  const std::string_view line = look_.slice(token.begin, last);
  if (line.ends_with('}') && line.find('{') == line.npos) at = last - 1;
  return true;
}

/// `gemm"`: the quote before it is missing.
std::optional<ForeignOperand> Builder::half_quoted(size_t at) const {
  const Token word = look_.token(at);
  if (word.kind != TokenKind::word || look_.byte(word.end) != '"' || !odd_quotes(word.end)) {
    return std::nullopt;
  }
  const std::string text = fmt::format("\"{}\"", look_.text(word));
  return ForeignOperand{word.end + 1, text, fmt::format("write a `\"` before it too: `{}`", text)};
}

size_t Builder::mistake(For<g::text_end>, source::Span seen) {
  const size_t open = bytes_.begin - 1;
  const size_t end = look_.line_end(seen.begin);
  const size_t last = std::max(look_.before_blanks(end), open + 1);
  if (open >= escapes_checked_) {
    diag::Diagnostic& added = sink_.add(diag::code::unterminated_text, range(open, last));
    added.help("add `\"`; a text must end on the line where it begins")
        .suggest(range(last, last), "\"");
    if (open > 0 && is_word_byte(text_[open - 1]) && last == open + 1) {
      size_t begin = open;
      while (begin > 0 && is_word_byte(text_[begin - 1])) --begin;
      added.message = "no text begins before this `\"`";
      added.help("write a `\"` before it too: `\"{}\"`", look_.slice(begin, open))
          .replace(range(begin, begin), "\"");
    }
    const size_t arrow = look_.slice(open, last).find("=>");
    if (level() == Level::test && arrow != std::string_view::npos) {
      const size_t place = look_.before_blanks(open + arrow);
      added.help("add `\"` before the `=>`").suggest(range(place, place), "\"");
    }
  }
  if (level() == Level::test) abandon(end);
  // `"one`, and `two"` on the next line.
  const size_t next = look_.line_end(std::min(end + 1, text_.size()));
  const size_t begin = look_.past_gap(end);
  if (begin < next && is_word_byte(text_[begin]) && odd_quotes(begin) &&
      look_.slice(begin, next).find_first_of(":|&") == std::string_view::npos) {
    sink_.last().help("write it on one line: a text must end on the line where it begins");
    sink_.last().fix.reset();
    return next;
  }
  return end;
}

}  // namespace kr::syntax
