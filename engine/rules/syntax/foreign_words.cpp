// Words of other languages: calls, `contains`, and words of kr with a sign too many.
#include <fmt/format.h>

#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "syntax/foreign_operand.hpp"
#include "syntax/foreign_text.hpp"
#include "syntax/words.hpp"

namespace kr::syntax {
namespace {

constexpr size_t items_of_word = 100;

/// After the sign that some write between `phase` and its label.
size_t past_sign(const Lookahead& look, size_t at) {
  at = look.past_gap(at);
  for (const std::string_view sign : {"==", "=", ":", "is "}) {
    if (look.slice(at, at + sign.size()) == sign && look.byte(at + sign.size()) != ':') {
      return at + sign.size();
    }
  }
  return at;
}

/// `phase "decode"`, `phase == decode`.
std::optional<ForeignOperand> phase(const Lookahead& look, const Token& word) {
  const size_t after = past_sign(look, word.end);
  const bool sign = after > look.past_gap(word.end);
  const Token label = look.token(after);
  if (look.first_on_line(label.begin)) return std::nullopt;
  std::string text;
  Token end = label;
  if (label.kind == TokenKind::word && sign) {
    text = look.text(label);
  } else if (const auto quoted = quoted_at(look, label.begin)) {
    text = label_text(quoted->inside);
    end.end = quoted->end;
  } else {
    return std::nullopt;
  }
  if (look.byte(look.past_gap(end.end)) == ':') return std::nullopt;
  const std::string instead = "phase " + text;
  return ForeignOperand{end.end, instead,
                        fmt::format("the label of a phase follows it: `{}`", instead)};
}

/// `word ("a" | "b")`, `word ^"a"`, `word /a/`, `word: "a"`.
std::optional<ForeignOperand> word_mark(const Lookahead& look, const Token& word) {
  Token next = look.next(word);
  if (look.first_on_line(next.begin)) return std::nullopt;
  if (next.kind == TokenKind::regex) {
    return ForeignOperand{next.end, "",
                          "`word` is for texts; in a regular expression write `\\b` on both sides"};
  }
  const char sign = look.byte(next.begin);
  if (sign == '^' || sign == ':') {
    const Token text = look.next(next);
    if (text.kind != TokenKind::string || look.first_on_line(text.begin)) return std::nullopt;
    const size_t end = past_flags(look, text.end);
    const std::string instead = fmt::format("word {}", look.slice(text.begin, end));
    return ForeignOperand{end, instead, fmt::format("a text follows `word`: `{}`", instead)};
  }
  if (sign != '(') return std::nullopt;
  std::vector<std::string> items;
  size_t end = next.end;
  for (size_t i = 0; i < items_of_word; ++i) {
    const Token text = look.token(end);
    if (text.kind != TokenKind::string) return std::nullopt;
    const size_t flags = past_flags(look, text.end);
    items.push_back(fmt::format("word {}", look.slice(text.begin, flags)));
    end = look.past_gap(flags);
    if (look.byte(end) != '|' && look.byte(end) != ',') break;
    ++end;
  }
  if (look.byte(end) != ')') return std::nullopt;
  const std::string instead = joined(look, word.begin, end + 1, items);
  return ForeignOperand{
      end + 1, instead,
      fmt::format("one text follows `word`: `{}`", excerpt(instead, longest_shown))};
}

/// `words "a"`.
std::optional<ForeignOperand> misspelled_word(const Lookahead& look, const Token& word) {
  const Token text = look.next(word);
  if (text.kind != TokenKind::string || look.first_on_line(text.begin) ||
      look.byte(look.past_gap(text.end)) == ':') {
    return std::nullopt;
  }
  const size_t end = past_flags(look, text.end);
  const std::string instead = fmt::format("word {}", look.slice(text.begin, end));
  return ForeignOperand{end, instead, fmt::format("write `{}`", excerpt(instead, longest_shown))};
}

/// `op aten::mm`, `op: "aten::mm"`.
std::optional<ForeignOperand> op(const Lookahead& look, const Token& word) {
  Token next = look.next(word);
  const bool colon = look.byte(next.begin) == ':' && look.byte(next.end) != ':';
  if (colon) next = look.next(next);
  if (look.first_on_line(next.begin)) return std::nullopt;
  std::string name;
  size_t end = next.end;
  if (next.kind == TokenKind::string && colon) {
    name = look.text(next);
  } else if (next.kind == TokenKind::word) {
    end = past_qualified_name(look, next);
    if (end == next.begin) return std::nullopt;
    name = quoted_text(look.slice(next.begin, end));
  } else if (const auto quoted = quoted_at(look, next.begin); quoted && !quoted->ours) {
    name = as_text(*quoted);
    end = quoted->end;
  } else {
    return std::nullopt;
  }
  const std::string instead = "op " + name;
  return ForeignOperand{
      end, instead,
      fmt::format("the name of an op is a text: `{}`", excerpt(instead, longest_shown))};
}

// Calls: `name.startswith("x")`, `contains "x"`, `regex("x")`.

enum class Verb : uint8_t { none, contains, begins, ends, equals, regex };

Verb verb_of(std::string_view word) {
  if (is_one_of(word, {"contains", "has", "includes", "containing", "in_name", "find"})) {
    return Verb::contains;
  }
  if (is_one_of(word, {"startswith", "starts_with", "startsWith", "starts", "begins", "beginswith",
                       "begins_with", "prefix"})) {
    return Verb::begins;
  }
  if (is_one_of(word, {"endswith", "ends_with", "endsWith", "ends", "suffix"})) return Verb::ends;
  if (is_one_of(word, {"equals", "exact", "exactly"})) return Verb::equals;
  if (is_one_of(word,
                {"regex", "regexp", "re", "rx", "match", "matches", "like", "compile", "search"})) {
    return Verb::regex;
  }
  return Verb::none;
}

/// The verb at `at`, after the word that stands for the name: `name.`, `kernel`. Sets `end` behind
/// it.
Verb verb_at(const Lookahead& look, const Token& first, size_t& end) {
  Token word = first;
  Verb verb = verb_of(look.text(word));
  const bool subject = is_one_of(look.text(word), {"name", "kernel", "kernel_name", "text", "re"});
  const Token second = look.token(word.end + (look.byte(word.end) == '.' ? 1 : 0));
  if (subject && second.kind == TokenKind::word && !look.first_on_line(second.begin)) {
    word = second;
    verb = verb_of(look.text(word));
    if (verb == Verb::none) return verb;
  } else if (subject && verb == Verb::none) {
    verb = Verb::contains;
    for (const std::string_view sign : {"==", "=~", "="}) {
      if (!look.slice(second.begin, second.begin + 2).starts_with(sign)) continue;
      end = second.begin + sign.size();
      return sign == "=~" ? Verb::regex : Verb::equals;
    }
  }
  end = word.end;
  const Token with = look.next(word);
  if (look.text(with) == "with" && !look.first_on_line(with.begin)) end = with.end;
  return verb;
}

std::string for_verb(Verb verb, const Quoted& text) {
  switch (verb) {
    case Verb::begins:
      return '^' + as_text(text);
    case Verb::ends:
      return as_text(text) + '$';
    case Verb::equals:
      return '^' + as_text(text) + '$';
    case Verb::regex:
      return regex_literal(text.inside);
    case Verb::contains:
    case Verb::none:
      break;
  }
  return as_text(text);
}

std::string_view meaning(Verb verb) {
  switch (verb) {
    case Verb::begins:
      return "a name begins with `^\"…\"`";
    case Verb::ends:
      return "a name ends with `\"…\"$`";
    case Verb::equals:
      return "a name is exactly `^\"…\"$`";
    case Verb::regex:
      return "a regular expression is written between slashes";
    case Verb::contains:
    case Verb::none:
      break;
  }
  return "a text matches if the name contains it";
}

/// After the `r` of a raw string.
size_t past_prefix(const Lookahead& look, const Token& argument) {
  const bool prefix = is_one_of(look.text(argument), {"r", "R", "b", "rb", "br", "u"});
  return prefix ? argument.end : argument.begin;
}

std::optional<ForeignOperand> call(const Lookahead& look, const Token& word) {
  size_t end = word.end;
  const Verb verb = verb_at(look, word, end);
  if (verb == Verb::none) return std::nullopt;
  const Token open = look.token(end);
  const bool parens = look.byte(open.begin) == '(';
  const Token argument = parens ? look.next(open) : open;
  if (look.first_on_line(argument.begin)) return std::nullopt;
  std::string instead;
  if (argument.kind == TokenKind::regex) {
    instead = look.text(argument);
    end = argument.end;
  } else if (const auto text = quoted_at(look, past_prefix(look, argument))) {
    instead = for_verb(verb, *text);
    end = text->end;
  } else {
    return std::nullopt;
  }
  const size_t after = look.past_gap(end);
  if (parens && look.byte(after) != ')') return std::nullopt;
  if (!parens && look.byte(after) == ':') return std::nullopt;
  return ForeignOperand{
      parens ? after + 1 : end, instead,
      fmt::format("{}: write `{}`", meaning(verb), excerpt(instead, longest_shown))};
}

}  // namespace

std::optional<ForeignOperand> foreign_word_operand(const Lookahead& look, const Token& word) {
  const std::string_view text = look.text(word);
  if (text == "phase") return phase(look, word);
  if (text == "word") return word_mark(look, word);
  if (is_one_of(text, {"words", "whole_word"})) return misspelled_word(look, word);
  if (text == "op") return op(look, word);
  return call(look, word);
}

std::optional<ForeignPrefix> foreign_prefix(const Lookahead& look, size_t at) {
  const Token word = look.token(at);
  if (word.kind != TokenKind::word) return std::nullopt;
  const std::string_view text = look.text(word);
  ForeignPrefix found{word.end, ExprKind::within, {}};
  Token next = look.next(word);
  if (is_one_of(text, {"within_op", "inside_op", "in_op"})) {
    found.kind = ExprKind::within_op;
    found.instead = "within op";
  } else if (is_one_of(text, {"own_name", "ownname"}) ||
             (text == "own" && look.text(next) == "name")) {
    found.kind = ExprKind::own;
    found.instead = "own";
    if (text == "own") found.end = next.end;
  } else if (is_one_of(text, {"own", "within"})) {
    // Only with the colon is `own: "x"` a mistake.
    if (look.byte(next.begin) != ':' || look.byte(next.end) == ':') return std::nullopt;
    if (look.first_on_line(at)) return std::nullopt;
    found.kind = text == "own" ? ExprKind::own : ExprKind::within;
    found.instead = text;
    found.end = next.end;
  } else if (keyword_for(text) == "within" ||
             (text.size() > 4 && text.size() < 9 && edit_distance(text, "within") < 3)) {
    found.instead = "within";
    if (is_one_of(look.text(next), {"of", "the"})) found.end = next.end;
  } else {
    return std::nullopt;
  }
  next = look.token(found.end);
  const char c = look.byte(next.begin);
  const bool operand = next.kind == TokenKind::string || next.kind == TokenKind::regex ||
                       c == '(' || c == '^' || c == '\'';
  if (!operand || look.first_on_line(next.begin)) return std::nullopt;
  if (next.kind == TokenKind::string && look.byte(look.past_gap(next.end)) == ':') {
    return std::nullopt;
  }
  return found;
}

}  // namespace kr::syntax
