// Builder: reports mistakes inside an expression: operands, operators, texts and their flags.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/ascii.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "syntax/builder.hpp"
#include "syntax/words.hpp"

namespace kr::syntax {

size_t Builder::mistake(For<g::atom>, source::Span seen) {
  const Token token = look_.token(seen.begin);
  // The missing operands of `a: | | "x"` are one mistake.
  const Expr* last = exprs_.last();
  const bool again = last != nullptr && last->span.size() == 0;
  if (!again && is_first_report(token.begin)) {
    diag::Diagnostic& added = unexpected(token, "an expression");
    hint(added, token.begin);
    if (added.help_.empty()) hint_operand(added, token.begin);
    const size_t before = look_.before_blanks(seen.begin);
    const char sign = before > 0 ? text_[before - 1] : '\0';
    if (added.help_.empty() && (sign == '|' || sign == '&')) {
      added.help("remove the `{}`, or write what follows it", sign);
    }
    if (added.help_.empty()) help_for_operand(added, token, sign);
  }
  atom_ = placeholder(range(seen.begin, seen.begin));
  exprs_.atom(std::move(atom_));
  return seen.begin;
}

/// Braces and colons where an expression should begin, and nothing at all.
void Builder::help_for_operand(diag::Diagnostic& added, const Token& token, char before) const {
  const char sign = look_.byte(token.begin);
  if (sign == '{' && before == ':') {
    added.help("a rule has one expression; a label is split by `refine LABEL {{ NEW: … }}`");
  } else if (sign == '{') {
    added.help("write it without braces");
  } else if (sign == ':' || sign == '=') {
    added.help("remove the `{}`", sign).replace(range(token), "");
  } else if (before == ':') {
    added.help("write what the rule matches: a text in quotes, a pattern, `otherwise`");
  }
}

bool Builder::is_operand(const Token& token) const {
  if (token.kind != TokenKind::other) return token.kind != TokenKind::end;
  const char c = text_[token.begin];
  return c == '^' || c == '@' || c == '!' || c == '(';
}

bool Builder::side_by_side(size_t at) const {
  const Token token = look_.token(at);
  const Token next = look_.next(token);
  const char after = look_.byte(next.begin);
  switch (token.kind) {
    case TokenKind::end:
      return false;
    case TokenKind::string:
      // The first token of a line, followed by another operand, is a label without its colon.
      if (look_.first_on_line(token.begin) && is_one_of(look_.text(next), {"=>", "->"})) {
        return false;
      }
      return after != ':' && !(look_.first_on_line(token.begin) && is_operand(next) &&
                               next.begin < look_.line_end(token.begin));
    case TokenKind::regex:
      return !look_.text(token).starts_with("//");
    case TokenKind::other: {
      // `"a", "b"` and `"a" + "b"`.
      const char c = text_[token.begin];
      if (c == '-' && token.end == token.begin + 1 && !look_.first_on_line(token.begin)) {
        return is_operand(next) && look_.byte(look_.next(next).begin) != ':';
      }
      const bool joins =
          (c == ',' && (level() == Level::rules || level() == Level::file)) || c == '+';
      if (!joins || token.end != token.begin + 1) return is_operand(token);
      return is_operand(next) && after != '>' && !look_.first_on_line(next.begin) &&
             next.kind != TokenKind::end && look_.byte(look_.next(next).begin) != ':';
    }
    case TokenKind::word:
      break;
  }
  // A word at the start of a line is more likely a rule without its colon.
  if (after == ':' || is_block(token) || look_.first_on_line(token.begin)) return false;
  const std::string_view word = look_.text(token);
  if (word == "then" && sees_labels()) return false;
  if (word == "keep") {
    return exprs_.last() != nullptr && exprs_.last()->kind == ExprKind::otherwise;
  }
  if (word == "otherwise") {
    // `otherwise keep` is the next rule; before `keep:` it is a stray atom.
    return look_.text(next) != "keep" || look_.byte(look_.next(next).begin) == ':';
  }
  if (word == "refine" && look_.byte(look_.next(next).begin) == '{') return false;
  if (level() != Level::rules && is_metadata_keyword(word)) return next.kind != TokenKind::string;
  if (level() == Level::file && word == "requires") return look_.text(next) != "kr";
  return !is_keyword(word) || word == "within";
}

bool Builder::not_before_operand(size_t at) const {
  const Token token = look_.token(at);
  if (token.kind != TokenKind::word || look_.text(token) != "not") return false;
  const Token next = look_.next(token);
  const char after = look_.byte(look_.next(next).begin);
  return is_operand(next) && !look_.first_on_line(next.begin) &&
         (next.kind != TokenKind::word || (after != ':' && after != '{'));
}

/// Parses `not` as a negation.
size_t Builder::mistake(For<g::not_word>, source::Span seen) {
  const Token token = look_.token(seen.begin);
  if (is_first_report(token.begin)) {
    sink_.add(diag::code::syntax, range(token), "`!`", "`not`")
        .help("write `!`")
        .replace(range(token), "!");
  }
  on(For<g::negation>(), range(token));
  return token.end;
}

size_t Builder::mistake(For<g::missing_operator>, source::Span seen) {
  const Token token = look_.token(seen.begin);
  const std::string_view word = look_.text(token);
  // A copy: it moves when expressions are joined.
  std::optional<std::pair<ExprKind, source::Span>> last;
  if (const Expr* const expr = exprs_.last()) last.emplace(expr->kind, expr->span);
  if (last && last->first == ExprKind::text && odd_quotes(token.begin)) {
    abandon(unpaired_quotes(look_.first_on_line(token.begin) ? token.begin : last->second.begin));
  }
  if (!is_first_report(token.begin)) abandon(token.end);
  if (word == "keep") {
    sink_.add(diag::code::syntax, range(token), "the next rule", "`keep`")
        .help("`otherwise keep` is a rule without a label");
    abandon(token.end);
  }
  const bool name_before = last && last->first == ExprKind::pattern;
  // Names beside the place are part of this mistake, known or not.
  if (name_before) forget_operand(last->second);
  beside_mistake_ = token.begin;
  diag::Diagnostic& added =
      sink_.add(diag::code::missing_operator, range(token), look_.describe(token.begin));
  const std::string lower = lowered(std::string(word.substr(0, longest_word)));
  if (word == "-") {
    added.help("write `& !`").replace(range(token), "& !");
    on(For<g::negation>(), range(token));
    return token.end;
  }
  if (lower == "but" && look_.text(look_.next(token)) == "not") {
    const Token no = look_.next(token);
    added.help("write `& !`").replace(range(token.begin, look_.token(no.end).begin), "& !");
    on(For<g::negation>(), range(no));
    return no.end;
  }
  if (word == "!") {
    join_with_and(added, token, "!");
    return token.begin;
  }
  if (name_before && is_word(token) &&
      look_.slice(last->second.begin, last->second.end) == "word") {
    added.help("`word` is followed by a text in quotes")
        .replace(range(token), fmt::format("\"{}\"", word));
    exprs_.disjunction();
    return token.begin;
  }
  const Token next = look_.next(token);
  const bool keyword = is_one_of(word, {"own", "op", "phase"}) && is_operand(next) &&
                       !look_.first_on_line(next.begin);
  const auto prefix = foreign_prefix(look_, token.begin);
  if (prefix || keyword || word == "within") {
    join_with_and(added, {token.kind, token.begin, prefix ? prefix->end : token.end},
                  prefix ? prefix->instead : word);
    if (!prefix) return token.begin;
    this->prefix(prefix->kind, range(token.begin, prefix->end));
    return prefix->end;
  }
  if (lower == "and") {
    added.help("write `&`").replace(range(token), "&");
    return token.end;
  }
  exprs_.disjunction();
  if (lower == "or") {
    added.help("write `|`").replace(range(token), "|");
    return token.end;
  }
  if (word == "," && last && last->first == ExprKind::phase && is_word(next)) {
    std::string_view first = look_.slice(last->second.begin, last->second.end);
    first = first.substr(first.find_last_of(" \t(") + 1);
    const std::string meant = fmt::format("phase ({} | {})", first, look_.text(next));
    added.help("several phases are in parentheses: `{}`", excerpt(meant, 60))
        .replace(range(last->second.begin, next.end), meant);
    beside_mistake_ = next.begin;
    return token.end;
  }
  if (word == "," || word == "+") {
    // A comma has the blank after it already.
    added.help("alternatives are joined with `|`").replace(range(token), word == "," ? " |" : "|");
    return token.end;
  }
  if (word == "^" && last && last->first == ExprKind::text) {
    const source::Span text = last->second;
    if (text.end == token.begin) {
      added
          .help("write it before the text: `^{}`",
                excerpt(look_.slice(text.begin, text.end), longest_word))
          .fix = diag::Fix{true, {{range(text.begin, text.begin), "^"}, {range(token), ""}}};
      return token.end;
    }
  }
  added.help("join the two with `|` or `&`");
  return token.begin;
}

/// What is missing between two operands is `&`.
void Builder::join_with_and(diag::Diagnostic& added, const Token& token,
                            std::string_view instead) const {
  added.help("write `& {}`", instead).replace(range(token), fmt::format("& {}", instead));
}

void Builder::forget_operand(source::Span at) {
  exprs_.replace_last(placeholder(at));
}

bool Builder::at_foreign_operand(size_t at) {
  foreign_ = half_quoted(at);
  if (foreign_) return true;
  foreign_ = foreign_operand(look_, at, sees_labels());
  if (!foreign_) return false;
  // A pattern may be called `name`.
  return !declares_pattern(look_.text(look_.token(at)));
}

size_t Builder::mistake(For<g::foreign_atom>, source::Span seen) {
  const source::Span span = range(seen.begin, foreign_->end);
  if (is_first_report(seen.begin)) {
    const std::string_view written = look_.slice(span.begin, span.end);
    diag::Diagnostic& added = sink_.add(
        diag::code::syntax, span, "an expression",
        fmt::format("`{}`", excerpt(written.substr(0, written.find('\n')), longest_word)));
    added.help_ = foreign_->help;
    if (!foreign_->instead.empty()) added.replace(span, foreign_->instead);
  }
  exprs_.atom(placeholder(span));
  return span.end;
}

bool Builder::at_foreign_prefix(size_t at) {
  foreign_prefix_ = foreign_prefix(look_, at);
  return foreign_prefix_.has_value();
}

size_t Builder::mistake(For<g::foreign_word>, source::Span seen) {
  const source::Span span = range(seen.begin, foreign_prefix_->end);
  const std::string_view instead = foreign_prefix_->instead;
  const std::string_view written = look_.slice(span.begin, span.end);
  if (written.ends_with(':')) {
    sink_.add(diag::code::syntax, span, "an expression", fmt::format("`{}`", written))
        .help("remove the `:` behind `{}`", instead)
        .replace(span, std::string(instead));
  } else {
    sink_.add(diag::code::misspelled_keyword, span, written)
        .help("write `{}`", instead)
        .replace(span, std::string(instead));
  }
  prefix(foreign_prefix_->kind, span);
  return span.end;
}

bool Builder::at_second_sign(size_t at) const {
  const char c = look_.byte(at);
  if (at == 0 || (c != '=' && c != ':')) return false;
  const char before = text_[at - 1];
  const Token next = look_.token(at + 1);
  return (before == ':' || before == '=') && is_operand(next) && !look_.first_on_line(next.begin);
}

size_t Builder::mistake(For<g::second_sign>, source::Span seen) {
  if (is_first_report(seen.begin)) {
    const char sign = text_[seen.begin];
    sink_.add(diag::code::syntax, seen, "an expression", fmt::format("`{}`", sign))
        .help("remove the `{}`: one `{}` is enough", sign, text_[seen.begin - 1])
        .replace(seen, "");
  }
  return seen.end;
}

size_t Builder::mistake(For<g::foreign_next>, source::Span seen) {
  sink_.add(diag::code::syntax, seen, "`>`", fmt::format("`{}`", look_.slice(seen.begin, seen.end)))
      .help("the steps of a chain are joined by `>`")
      .replace(seen, look_.byte(seen.begin) == ',' ? " >" : ">");
  return seen.end;
}

size_t Builder::mistake(For<g::image_separator>, source::Span seen) {
  sink_.add(diag::code::syntax, seen, "a label", fmt::format("`{}`", look_.byte(seen.begin)))
      .help("remove it: only blanks are between the labels")
      .replace(range(look_.before_blanks(seen.begin), seen.end), "");
  return seen.end;
}

size_t Builder::mistake(For<g::begin_text>, source::Span seen) {
  const Token token = look_.token(seen.begin);
  if (token.kind != TokenKind::regex) abandon(expected(seen.begin, "a text after `^`"));
  sink_.add(diag::code::anchored_regex, anchor_, "^").help("write `^` inside: `/^…/`").fix =
      diag::Fix{true, {{anchor_, ""}, {range(token.begin + 1, token.begin + 1), "^"}}};
  atom_ = placeholder(source::join(anchor_, range(token)));
  return token.end;
}

size_t Builder::mistake(For<g::operation>, source::Span seen) {
  operation_ = OperationKind::kernel;
  if (seen.size() == 0) {
    return expected(seen.begin, "`kernel`, `memcpy` or `memset` after `@`");
  }
  const std::string_view word = look_.slice(seen.begin, seen.end);
  static const std::vector<std::string> kinds{"kernel", "memcpy", "memset"};
  diag::Diagnostic& added =
      sink_.add(diag::code::unknown_operation, seen, excerpt(word, longest_word));
  if (const auto near = nearest(word.substr(0, guess_bytes), kinds)) {
    added.help("did you mean `@{}`?", *near).suggest(seen, *near);
  } else {
    added.help("use `@kernel`, `@memcpy` or `@memset`");
  }
  return seen.end;
}

// Broken tokens.

size_t Builder::mistake(For<g::regex_end>, source::Span seen) {
  const size_t open = bytes_.begin - 1;
  const size_t end = look_.line_end(seen.begin);
  sink_
      .add(diag::code::unterminated_regex,
           range(open, std::max(look_.before_blanks(end), open + 1)))
      .help("add `/`; a slash in the expression is written `\\/`");
  return end;
}

size_t Builder::mistake(For<g::empty_regex>, source::Span seen) {
  atom_ = placeholder(seen);
  size_t at = seen.end;
  if (look_.byte(at) == 'i' && !is_word_byte(look_.byte(at + 1))) ++at;
  size_t rest = at;
  while (look_.byte(rest) == ' ' || look_.byte(rest) == '\t' || look_.byte(rest) == '\r') ++rest;
  constexpr std::string_view ends("|&)#}$,\n\0", 9);
  const bool comment = ends.find(look_.byte(rest)) == ends.npos;
  diag::Diagnostic& added = sink_.add(diag::code::empty_regex, seen);
  if (comment) {
    added.help("a comment begins with `#`");
    return look_.line_end(at);
  }
  added.help("write an expression between the slashes");
  return at;
}

size_t Builder::mistake(For<g::wrong_flag>, source::Span seen) {
  if (atom_.kind == ExprKind::text && odd_quotes(seen.end)) {
    abandon(unpaired_quotes(atom_.span.begin));
  }
  const std::string_view flag = look_.slice(seen.begin, seen.end);
  sink_.add(diag::code::wrong_flag, seen, excerpt(flag, longest_word))
      .help("the only flag is `i`, which ignores ASCII case");
  // `/a/b/`: the slash between is part of the expression.
  if (atom_.kind == ExprKind::regex && look_.byte(seen.end) == '/') {
    const size_t slash = bytes_.end;
    diag::Diagnostic& added = sink_.last();
    added.span = range(slash, slash + 1);
    added.message = "this `/` ends the regular expression";
    added.help("write `\\/` for a slash in a regular expression")
        .replace(range(slash, slash + 1), "\\/");
    return seen.end + 1;
  }
  if (flag.size() < 5 && flag.find_first_not_of("gmsxuiI") == flag.npos) {
    const bool any_case = flag.find_first_of("iI") != flag.npos;
    sink_.last()
        .help("{}", any_case ? "write `i`, the only flag: it ignores ASCII case"
                             : "remove it; the only flag is `i`, which ignores ASCII case")
        .replace(seen, any_case ? "i" : "");
    atom_.ignore_case |= any_case;
  }
  return seen.end;
}

size_t Builder::mistake(For<g::flag_apart>, source::Span seen) {
  const bool anchor = text_[seen.end - 1] == '$';
  if (anchor && atom_.kind == ExprKind::regex) {
    on(For<g::end_anchor>(), range(seen.end - 1, seen.end));
    return seen.end;
  }
  (anchor ? atom_.at_end : atom_.ignore_case) = true;
  sink_.add(diag::code::detached_flag, range(seen.end - 1, seen.end), anchor ? "$" : "i")
      .help("remove the blank before it")
      .replace(range(look_.before_blanks(seen.end - 1), seen.end - 1), "");
  return seen.end;
}

size_t Builder::mistake(For<g::caret_apart>, source::Span seen) {
  sink_.add(diag::code::detached_flag, anchor_, "^")
      .help("remove the blank after it")
      .replace(range(anchor_.end, look_.token(anchor_.end).begin), "");
  return seen.end;
}

size_t Builder::mistake(For<g::doubled>, source::Span seen) {
  const std::string_view sign = look_.slice(seen.begin, seen.end);
  sink_.add(diag::code::syntax, seen, "an expression", fmt::format("`{}`", sign))
      .help("write `|` and `&` only once")
      .replace(seen, "");
  return seen.end;
}

}  // namespace kr::syntax
