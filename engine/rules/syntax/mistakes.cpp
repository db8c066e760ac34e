// Builder: reports what an item lacks outside its expressions, and finds where parsing continues.
#include <algorithm>
#include <utility>

#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "syntax/builder.hpp"
#include "syntax/words.hpp"

namespace kr::syntax {

bool Builder::is_first_report(size_t at) {
  if (reported_at_ == at) return false;
  reported_at_ = at;
  if (at >= text_.size()) {
    if (end_reported_) return false;
    end_reported_ = true;
  }
  return !(broken_bytes_ && at < text_.size() && static_cast<unsigned char>(text_[at]) >= 0x80);
}

size_t Builder::expected(size_t at, std::string_view what) {
  const Token token = look_.token(at);
  if (!is_first_report(token.begin)) abandon(token.begin);
  diag::Diagnostic& added = unexpected(token, what);
  if (added.help_.empty()) add_remedy(added, token, what);
  if (what == "the name of a table" && level() == Level::file) file_.nameless = true;
  if (added.help_.empty()) hint(added, token.begin);
  // `color #4e79a7`: the colour is a comment.
  if (what.starts_with("a colour")) {
    const size_t begin = trivia_.before_gap(at);
    const size_t end = look_.line_end(begin);
    const size_t sign = std::min(text_.find_first_not_of(" \t", begin), end);
    size_t last = sign;
    while (last < end && (last == sign || is_word_byte(text_[last]))) ++last;
    const std::string_view color = look_.slice(sign, last);
    if (color.size() == 7 && color[0] == '#') {
      added.span = range(sign, last);
      added.message = fmt::format("expected {}, found a comment: `{}`", what, color);
      added.related_.clear();
      added.help("write `\"{}\"`: `#` begins a comment", color)
          .replace(range(sign, last), fmt::format("\"{}\"", color));
    } else if (token.kind == TokenKind::word && !look_.first_on_line(token.begin)) {
      added.help("write red, green and blue in hex digits, in quotes: `\"#4e79a7\"`");
    }
  }
  if (level() == Level::test && what == "a label") {
    const char c = text_[std::min(token.begin, text_.size() - 1)];
    if (c == '=' || c == '/' || c == ':') {
      added.help("write the dimension and the label with a blank between: `=> substage gemm`")
          .replace(range(token.begin, token.begin + 1), " ");
    } else {
      added.help("write the dimension before the label: `=> substage {}`",
                 case_.expected.empty() ? "gemm" : case_.expected.back().dimension.text);
    }
  }
  return at;
}

/// What was meant by a token in place of `what`.
void Builder::add_remedy(diag::Diagnostic& added, const Token& token, std::string_view what) const {
  const std::string_view found = look_.text(token);
  const char sign = look_.byte(token.begin);
  const Token next = look_.next(token);
  const bool same_line = !look_.first_on_line(token.begin);
  const auto is = [&](std::string_view one) { return what == one; };
  const auto remove = [&] {
    added.help("remove the `{}`", found)
        .replace(range(look_.before_blanks(token.begin), token.end), "");
  };
  if (is("`as`") && (found == "->" || found == "=>" || found == ":" || found == "=")) {
    const bool adjoins = token.begin > 0 && text_[token.begin - 1] == '"';
    added.help("write `as`").replace(range(token), adjoins ? " as" : "as");
  } else if ((is("a text in quotes") || is("a name in quotes")) && token.kind == TokenKind::word &&
             same_line) {
    added.help("write it in quotes: `\"{}\"`", excerpt(found, longest_word))
        .replace(range(token), fmt::format("\"{}\"", found));
  } else if ((sign == ':' || sign == '=') && (is("a text in quotes") || is("a number or a name") ||
                                              is("the name of a table after `include`"))) {
    remove();
  } else if (token.kind == TokenKind::string && same_line && token.end > token.begin + 2 &&
             (what.starts_with("the name of a") || what.starts_with("labels of"))) {
    const std::string_view inside = look_.slice(token.begin + 1, token.end - 1);
    if (is_word(inside) && what.find("quotes") == what.npos) {
      added.help("remove the quotes: `{}`", excerpt(inside, longest_word))
          .replace(range(token), std::string(inside));
    }
  } else if (is("`=`") && same_line && is_operand(token)) {
    added.help("write `=` before it").replace(range(token.begin, token.begin), "= ");
  } else if (is("`:` and the cost")) {
    if (sign == '=' || found == "=>" || found == "->") {
      added.help("write `:`").replace(range(look_.before_blanks(token.begin), token.end), ":");
    } else if (sign == '[') {
      added.help("the arguments are in parentheses: `([M, K], [K, N])`");
    } else if (look_.text(token) == "flops" || look_.text(token) == "bytes") {
      const size_t end = look_.before_blanks(token.begin);
      added.help("write `:` before it").replace(range(end, end), ":");
    }
  } else if (is("`flops` or `bytes`") && same_line) {
    added.help("say what the formula gives: `flops …`, or `bytes …`");
  } else if (what.starts_with("`,` or `)`") && sign == '[') {
    const size_t end = look_.before_blanks(token.begin);
    added.help("write `,` between two arguments").replace(range(end, end), ",");
  } else if (is("a number or a name") && token.kind == TokenKind::word) {
    const size_t digits = std::min(found.find_first_not_of("0123456789"), found.size());
    added.help("write `*` between two factors: `{}*{}`", found.substr(0, digits),
               excerpt(found.substr(digits), longest_word));
  } else if (is("the name of a table") && found == "for") {
    added.help("a table has a name: `table NAME for {} {{ … }}`",
               excerpt(look_.text(next), longest_word));
  } else if (is("`kr` after `requires`") && next.kind != TokenKind::end && same_line) {
    added.help("write the least version of kr: `requires kr >= 0.1`");
  }
}

/// If the next token is on a later line, the mistake is at the end of the current line.
diag::Diagnostic& Builder::unexpected(const Token& token, std::string_view what) {
  const std::string found = look_.describe(token.begin);
  const size_t before = trivia_.before_gap(token.begin);
  if (token.kind == TokenKind::end) {
    return sink_.add(diag::code::syntax, range(before, before), what, found);
  }
  if (before == 0 || !look_.first_on_line(token.begin)) {
    return sink_.add(diag::code::syntax, range(token), what, found);
  }
  return sink_.add(diag::code::syntax, range(before, before), what, found)
      .related(range(token), "{} is here", found);
}

size_t Builder::mistake(For<g::colon>, source::Span seen) {
  const Token token = look_.token(seen.begin);
  if (!is_first_report(token.begin)) abandon(token.begin);
  const size_t end = look_.before_blanks(token.begin);
  size_t begin = end;
  while (begin > 0 && is_word_byte(text_[begin - 1])) --begin;
  const std::string_view before = begin < end ? look_.slice(begin, end) : word_.text;
  if (look_.byte(token.begin) == '{') {
    // `detect { "x" }`
    const auto list = foreign_operand(look_, token.begin, false);
    diag::Diagnostic& added =
        sink_.add(diag::code::missing_colon, range(begin, end), excerpt(before, longest_word));
    added.help("write `{}: …`, without braces", excerpt(before, longest_word));
    if (list) added.replace(range(end, list->end), ": " + list->instead);
    return token.begin;
  }
  sink_.add(diag::code::missing_colon, range(begin, end), excerpt(before, longest_word))
      .help("write `{}:`", excerpt(before, longest_word))
      .replace(look_.byte(token.begin) == '=' ? range(end, token.end) : range(end, end), ":");
  return look_.byte(token.begin) == '=' ? token.end : token.begin;
}

size_t Builder::mistake(For<g::equals>, source::Span seen) {
  const size_t errors = sink_.errors();
  const size_t at = expected(seen.begin, "`=`");
  if (look_.byte(at) != ':') return at;
  const size_t end = at + (look_.byte(at + 1) == '=' ? 2 : 1);
  if (sink_.errors() > errors) {
    sink_.last().help("write `=`").replace(range(look_.before_blanks(at), end), " =");
  }
  return end;
}

size_t Builder::mistake(For<g::arrow>, source::Span seen) {
  const size_t errors = sink_.errors();
  const size_t at = expected(seen.begin, case_.within.empty() ? "`=>` or `within`" : "`=>`");
  const Token token = look_.token(at);
  const std::string_view sign = look_.text(token);
  size_t after = token.begin;
  while (look_.byte(after) == '-' || look_.byte(after) == '=' || look_.byte(after) == '>' ||
         look_.byte(after) == ':') {
    ++after;
  }
  if (sink_.errors() > errors && (sign == "->" || sign == ":" || sign == "=")) {
    sink_.last().help("write `=>`").replace(range(token.begin, after), "=>");
  }
  if (after == token.begin && (token.kind != TokenKind::word || look_.first_on_line(token.begin))) {
    abandon(token.begin);
  }
  return after;
}

size_t Builder::mistake(For<g::keep>, source::Span seen) {
  const Token token = look_.token(seen.begin);
  if (!is_first_report(token.begin)) abandon(token.begin);
  diag::Diagnostic& added = unexpected(token, "`keep` after `otherwise`");
  const source::Span word = rule_.span;
  const std::string label(excerpt(look_.text(token), longest_word));
  if (token.kind == TokenKind::word && !look_.first_on_line(token.begin)) {
    added.help("the label stands before: `{}: otherwise`", label)
        .replace(range(word.begin, token.end), fmt::format("{}: otherwise", look_.text(token)));
  } else {
    added.help("write `LABEL: otherwise`, or `otherwise keep`");
  }
  pending_ = Pending::none;
  abandon(seen.begin);
}

size_t Builder::mistake(For<g::retired_replace>, source::Span seen) {
  const Token label = look_.next(look_.token(seen.begin));
  const std::string text(excerpt(look_.text(label), longest_word));
  sink_.add(diag::code::retired_edit, seen, "replace")
      .help("write `{0}: …` without it; for another label of some of them `refine {0} {{ … }}`",
            text);
  return seen.end;
}

size_t Builder::mistake(For<g::retired_drop>, source::Span seen) {
  const Token label = look_.next(look_.token(seen.begin));
  const std::string text(excerpt(look_.text(label), longest_word));
  sink_.add(diag::code::retired_edit, seen, "drop")
      .help("give the names another label by a rule above, or `refine {} {{ LABEL: … }}`", text);
  return seen.end;
}

size_t Builder::unclosed_brace(source::Span seen) {
  const Token token = look_.token(seen.begin);
  const bool at_end = token.kind == TokenKind::end;
  const bool lacks = lacking() > 0;
  if (is_first_report(token.begin)) {
    const std::string found = look_.describe(token.begin);
    // The brace is missing before a token on another line.
    const bool before = at_end || look_.first_on_line(token.begin);
    const size_t end = trivia_.before_gap(token.begin);
    diag::Diagnostic& added =
        sink_.add(diag::code::unclosed_brace, before ? range(end, end) : range(token), found);
    if (lacks && ends_at(braces_.back(), token) && !begins_outer(token)) {
      added.related(range(token), "by its indentation, this is after the block");
    } else if (before && !at_end) {
      added.related(range(token), "{} is here", found);
    }
    // All braces that are missing here are one mistake.
    std::string braces;
    ptrdiff_t missing = lacking();
    for (size_t i = braces_.size(); i > 0; --i, --missing) {
      const Brace& brace = braces_[i - 1];
      const bool innermost = i == braces_.size();
      if (!innermost && (missing <= 0 || !(at_end || ends_at(brace, token)))) break;
      added.related(brace.span, "opened here");
      braces += '\n' + std::string(brace.indent, ' ') + '}';
    }
    added.help("add `}}`");
    if (before) added.suggest(range(end, end), braces);
  }
  if (lacks) --*lacking_;
  braces_.pop_back();
  return seen.begin;
}

/// `otherwise: misc`, where no pattern is called so.
void Builder::report_swapped() {
  for (const Rule& rule : swapped_) {
    const std::string& name = file_.exprs.get(rule.expr).name.parts[0].text;
    if (declares_pattern(name)) continue;
    sink_
        .add(diag::code::syntax, rule.span, "a label before `otherwise`",
             fmt::format("`otherwise: {}`", excerpt(name, longest_word)))
        .help("the label stands before: `{}: otherwise`", excerpt(name, longest_word))
        .replace(rule.span, fmt::format("{}: otherwise", name));
    skipped(rule.span.begin, rule.span.end);
  }
}

/// `phase prefill | decode`, where no pattern is called so, and a phase is.
void Builder::report_after_phase() {
  const auto is_phase = [this](std::string_view name) {
    if (is_one_of(name, {"prefill", "decode", "mixed"})) return true;
    return std::ranges::any_of(file_.engines, [&](const Engine& engine) {
      return std::ranges::any_of(engine.body.phases, [&](const Block& block) {
        return std::ranges::any_of(block.rules,
                                   [&](const Rule& rule) { return rule.label.text == name; });
      });
    });
  };
  for (const auto& [phase, name] : after_phase_) {
    const std::string_view label = look_.slice(name.begin, name.end);
    if (declares_pattern(label) || !is_phase(label)) continue;
    std::string_view first = look_.slice(phase.begin, phase.end);
    first = first.substr(first.find_last_of(" \t(") + 1);
    const std::string meant = fmt::format("phase ({} | {})", first, label);
    sink_
        .add(diag::code::syntax, name, "a pattern or a text",
             fmt::format("the phase `{}`", excerpt(label, longest_word)))
        .help("several phases are in parentheses: `{}`", excerpt(meant, 60))
        .replace(range(phase.begin, name.end), meant);
    skipped(name.begin, name.end);
  }
}

bool Builder::declares_pattern(std::string_view name) const {
  return std::ranges::any_of(file_.patterns,
                             [&](const Pattern& one) { return one.name.text == name; });
}

// Keywords.

bool Builder::is_near(size_t at, std::string_view keyword) const {
  const Token token = look_.token(at);
  const std::string_view word = look_.text(token);
  if (token.kind != TokenKind::word || token.begin != at || look_.first_on_line(at)) return false;
  if (keyword_for(word) == keyword) return true;
  if (word.size() > keyword.size() + 2 || is_keyword(word)) return false;
  return edit_distance(word, keyword) <= (keyword.size() > 4 ? 2U : 1U);
}

size_t Builder::misspelled(source::Span seen, std::string_view keyword) {
  sink_.add(diag::code::misspelled_keyword, seen, look_.slice(seen.begin, seen.end))
      .help("did you mean `{}`?", keyword)
      .replace(seen, std::string(keyword));
  return seen.end;
}

}  // namespace kr::syntax
