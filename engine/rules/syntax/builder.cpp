#include "syntax/builder.hpp"

#include <utility>

#include "base/ascii.hpp"
#include "base/check.hpp"
#include "base/printable.hpp"
#include "syntax/foreign_text.hpp"
#include "syntax/parse.hpp"
#include "syntax/words.hpp"

namespace kr::syntax {
std::string Path::text() const {
  std::string text;
  for (const Word& part : parts) {
    if (!text.empty()) text += '.';
    text += part.text;
  }
  return text;
}

Builder::Builder(const source::SourceMap& sources, source::FileId file, diag::Sink& sink)
    : sources_(sources),
      id_(file),
      sink_(sink),
      text_(sources.text(file)),
      look_(text_),
      trivia_(text_, file),
      exprs_(file_.exprs),
      formulas_(file_.formulas) {
  file_.file = file;
}

source::Span Builder::span(const char* begin, const char* end) const {
  return range(static_cast<size_t>(begin - text_.data()), static_cast<size_t>(end - text_.data()));
}

File Builder::take() {
  declare(text_.size(), true);
  report_swapped();
  report_after_phase();
  file_.comments = trivia_.take();
  return std::move(file_);
}

void Builder::abandon(size_t at) {
  KR_CHECK(sink_.errors() > 0);  // what is skipped is reported
  throw Abandoned{at};
}

// Words, strings, paths.

std::string Builder::unescape(source::Span bytes, source::Span text) {
  const std::string_view raw = look_.slice(bytes.begin, bytes.end);
  const bool first = text.begin >= escapes_checked_;
  escapes_checked_ = std::max<size_t>(escapes_checked_, text.end);
  if (raw.empty() && first && look_.slice(text.begin, text.end) == "\"\"") {
    sink_.add(diag::code::empty_text, text).help("remove it; a text has at least one byte");
  }
  size_t slash = raw.find('\\');
  if (slash == raw.npos) return std::string(raw);
  std::string out;
  size_t from = 0;
  for (; slash != raw.npos; slash = raw.find('\\', from)) {
    out += raw.substr(from, slash - from);
    const char next = slash + 1 < raw.size() ? raw[slash + 1] : '\0';
    from = std::min(slash + 2, raw.size());
    if (next == '"' || next == '\\') {
      out += next;
      continue;
    }
    if (next == 'x' && slash + 3 < raw.size()) {
      const int high = hex_value(raw[slash + 2]);
      const int low = hex_value(raw[slash + 3]);
      if (high >= 0 && low >= 0) {
        out += static_cast<char>(high * 16 + low);
        from = slash + 4;
        continue;
      }
    }
    const bool of_regex =
        (level() == Level::rules || level() == Level::file || level() == Level::engine ||
         level() == Level::model) &&
        std::string_view("dDwWsSbB.+*?()[]{}|^$/").find(next) != std::string_view::npos;
    if (first && of_regex) {
      if (sink_.all().empty() || sink_.last().code != diag::code::bad_escape.info() ||
          sink_.last().span.begin < bytes.begin) {
        const Token seen{TokenKind::other, bytes.begin + slash, bytes.begin + from};
        const std::string meant = regex_literal(raw);
        sink_.add(diag::code::bad_escape, range(seen), look_.text(seen))
            .help(
                "a regular expression is written between slashes: `{}`; a backslash in a text is "
                "`\\\\`",
                excerpt(meant, 60))
            .suggest(text, meant);
      }
    } else if (first) {
      const Token seen{TokenKind::other, bytes.begin + slash, bytes.begin + from};
      sink_.add(diag::code::bad_escape, range(seen), look_.text(seen))
          .help(
              "write `\\\\` for a backslash; the other escapes are `\\\"` and `\\xNN`; a regular "
              "expression is written between slashes: `/…/`");
    }
    out += raw.substr(slash, from - slash);
  }
  out += raw.substr(from);
  return out;
}

void Builder::on(For<g::path_head>, source::Span span) {
  path_.parts.assign(1, word_);
  path_.span = span;
}

void Builder::on(For<g::path_part>, source::Span span) {
  path_.parts.push_back(word_);
  path_.span.end = span.end;
}

// Expressions.

void Builder::on(For<g::expression_begin>, source::Span) {
  exprs_.begin();
  expr_ = {};
  anchor_ = {};
  stray_paren_ = false;
}

void Builder::on(For<g::bare_text>, source::Span span) {
  atom_ = {
      .kind = ExprKind::text, .span = span, .text = std::move(word_.text), .text_span = bytes_};
  if (word_mark_.valid()) {
    atom_.word = true;
    atom_.span.begin = word_mark_.begin;
    word_mark_ = {};
  }
}

void Builder::on(For<g::begin_text>, source::Span span) {
  on(For<g::bare_text>(), span);
  atom_.at_begin = true;
  atom_.span.begin = anchor_.begin;
}

void Builder::on(For<g::ignore_case>, source::Span span) {
  if (atom_.at_end) {
    sink_.add(diag::code::detached_flag, span, "i").help("write `i` before `$`");
  }
  atom_.ignore_case = true;
}

void Builder::on(For<g::end_anchor>, source::Span span) {
  if (atom_.kind == ExprKind::regex) {
    sink_.add(diag::code::anchored_regex, span, "$").help("write `$` inside: `/…$/`").fix =
        diag::Fix{true, {{range(bytes_.end, bytes_.end), "$"}, {span, ""}}};
  }
  atom_.at_end = true;
}

void Builder::on(For<g::text_atom>, source::Span span) {
  atom_.span.end = span.end;
  exprs_.atom(std::move(atom_));
}

void Builder::on(For<g::regex>, source::Span span) {
  atom_ = {.kind = ExprKind::regex,
           .span = span,
           .text = std::string(look_.slice(bytes_.begin, bytes_.end)),
           .text_span = bytes_};
}

void Builder::on(For<g::regex_atom>, source::Span span) {
  if (atom_.kind == ExprKind::regex) atom_.at_end = false;
  atom_.span = span;
  exprs_.atom(std::move(atom_));
}

void Builder::on(For<g::operation>, source::Span span) {
  const std::optional<OperationKind> kind = operation_kind_from(word_.text);
  operation_ = kind.value_or(OperationKind::kernel);
  if (!kind) mistake(For<g::operation>(), span);
}

void Builder::on(For<g::operation_atom>, source::Span span) {
  exprs_.atom({.kind = ExprKind::operation, .span = span, .operation = operation_});
}

void Builder::on(For<g::otherwise_atom>, source::Span span) {
  exprs_.atom({.kind = ExprKind::otherwise, .span = span});
}

void Builder::on(For<g::name_atom>, source::Span) {
  if (path_.span.begin == beside_mistake_) {
    exprs_.atom(placeholder(path_.span));
    return;
  }
  const Expr* const last = exprs_.last();
  const size_t before = look_.before_blanks(path_.span.begin);
  if (last != nullptr && last->kind == ExprKind::phase && path_.parts.size() == 1 && before > 0 &&
      (text_[before - 1] == '|' || text_[before - 1] == ',')) {
    after_phase_.emplace_back(last->span, path_.span);
  }
  exprs_.atom({.kind = ExprKind::pattern, .span = path_.span, .name = std::move(path_)});
}

void Builder::on(For<g::open_paren>, source::Span span) {
  exprs_.open(span);
  check_depth(span);
}

void Builder::prefix(ExprKind kind, source::Span span) {
  exprs_.prefix(kind, span);
  check_depth(span);
}

void Builder::on(For<g::op_arguments>, source::Span span) {
  ExprId id = exprs_.last_id();
  while (id.valid() && file_.exprs.get(id).kind != ExprKind::op) {
    const std::vector<ExprId>& operands = file_.exprs.get(id).operands;
    id = operands.empty() ? ExprId{} : operands.front();
  }
  if (!id.valid()) return;
  Expr& op = file_.exprs.get(id);
  op.called = true;
  op.arguments = std::move(arguments_);
  op.span.end = span.end;
  arguments_.clear();
}

void Builder::on(For<g::phase_atom>, source::Span span) {
  exprs_.atom({.kind = ExprKind::phase, .span = span, .labels = std::move(phases_)});
  phases_.clear();
}

void Builder::check_depth(source::Span span) {
  if (exprs_.depth() <= static_cast<size_t>(max_nesting)) return;
  sink_.add(diag::code::nesting_too_deep, span, max_nesting)
      .help("name a part of it: `pattern part = …`");
  exprs_.begin();
  // The rest of the nested prefixes is part of the same mistake.
  size_t at = span.end;
  for (char c = look_.byte(at); c == '(' || c == '!' || c == ' ' || c == '\t' || c == '\n';) {
    c = look_.byte(++at);
  }
  abandon(at);
}

void Builder::on(For<g::close_paren>, source::Span span) {
  if (exprs_.in_parens()) {
    exprs_.close(span);
    return;
  }
  if (!stray_paren_) {
    sink_.add(diag::code::stray_paren, span).help("remove it, or open a `(` before");
  }
  stray_paren_ = true;
}

void Builder::on(For<g::expression>, source::Span) {
  if (exprs_.in_parens() && reported_at_ != look_.past_gap(exprs_.last()->span.end)) {
    const source::Span paren = exprs_.open_paren();
    const size_t end = look_.before_blanks(exprs_.last()->span.end);
    sink_.add(diag::code::unclosed_paren, range(end, end))
        .related(paren, "opened here")
        .help("add `)`");
  }
  expr_ = exprs_.finish();
}

Expr Builder::placeholder(source::Span span) const {
  return {.kind = ExprKind::text, .span = span, .text = "placeholder", .text_span = span};
}

// Rules and their blocks.

void Builder::begin_rule(RuleKind kind, source::Span span) {
  rule_ = {};
  rule_.kind = kind;
  rule_.span = span;
  rule_.doc = doc(span.begin);
  step_ = {};
  chain_.clear();
  pending_ = Pending::rule;
}

void Builder::on(For<g::quantifier>, source::Span span) {
  step_.quantifier = look_.byte(span.begin);
  step_.quantifier_span = span;
  if (!expr_.valid()) return;
  const Expr& expr = file_.exprs.get(expr_);
  const bool joined = expr.kind == ExprKind::conjunction || expr.kind == ExprKind::disjunction;
  if (!joined || expr.grouped) return;
  const std::string_view text = look_.slice(expr.span.begin, expr.span.end);
  sink_.add(diag::code::ambiguous_quantifier, span, look_.slice(span.begin, span.end))
      .help("write `({}){}`, or parentheses around the last part", excerpt(text, 60),
            look_.slice(span.begin, span.end));
}

void Builder::on(For<g::chain_step>, source::Span span) {
  step_.span = span;
  step_.expr = expr_.valid() ? expr_ : file_.exprs.add(placeholder(span));
  expr_ = {};
  chain_.push_back(step_);
  step_ = {};
}

void Builder::on(For<g::rule_head>, source::Span span) {
  begin_rule(RuleKind::rule, span);
  rule_.label = std::move(word_);
}

void Builder::push_rule(source::Span span) {
  pending_ = Pending::none;
  rule_.span = span;
  const bool wants_label = rule_.kind == RuleKind::rule || rule_.kind == RuleKind::image ||
                           rule_.kind == RuleKind::refine;
  const bool has_expr = rule_.kind == RuleKind::rule || rule_.kind == RuleKind::ignore ||
                        rule_.kind == RuleKind::continues;
  if (wants_label && !rule_.label.span.valid()) return;
  if (rule_.kind == RuleKind::include && rule_.table.parts.empty()) return;
  const bool plain = chain_.size() == 1 && chain_[0].quantifier == '\0' &&
                     !chain_[0].open.valid() && !chain_[0].close.valid();
  if (has_expr && plain) {
    rule_.expr = chain_[0].expr;
  } else if (has_expr && !chain_.empty()) {
    rule_.chain = std::move(chain_);
  } else if (has_expr) {
    rule_.expr = expr_.valid() ? expr_ : file_.exprs.add(placeholder(span));
  }
  chain_.clear();
  expr_ = {};
  if (rule_.expr.valid() && !over_ && !rule_.label.quoted && rule_.label.text == "otherwise") {
    const Expr& expr = file_.exprs.get(rule_.expr);
    if (expr.kind == ExprKind::pattern && expr.name.parts.size() == 1) swapped_.push_back(rule_);
  }
  rules_.push_back(std::move(rule_));
}

void Builder::on(For<g::refine_open>, source::Span span) {
  refine_ = std::move(rule_);
  outside_ = std::exchange(rules_, {});
  pending_ = Pending::none;
  open(Level::rules, span);
  refine_depth_ = braces_.size();
}

void Builder::on(For<g::refine_close>, source::Span span) {
  end_refine(span);
  braces_.pop_back();
}

void Builder::end_refine(source::Span span) {
  rule_ = std::move(*refine_);
  rule_.span.end = span.end;
  rule_.refined = std::exchange(rules_, std::exchange(outside_, {}));
  refine_.reset();
}

size_t Builder::indent_of(size_t at) const {
  constexpr size_t limit = 1000;
  const uint32_t line = sources_.position(id_, narrow(at)).line;
  const std::string_view text = sources_.line(id_, line);
  size_t indent = 0;
  while (indent < text.size() && indent < limit && (text[indent] == ' ' || text[indent] == '\t')) {
    ++indent;
  }
  return indent;
}

/// Whether the token, by its indentation, is after the block of the brace.
bool Builder::ends_at(const Brace& brace, const Token& token) const {
  if (token.kind == TokenKind::end || !look_.first_on_line(token.begin)) return false;
  if (brace.inner <= brace.indent) return false;
  const size_t indent = indent_of(token.begin);
  return text_[token.begin] == '}' ? indent < brace.indent : indent <= brace.indent;
}

/// How many braces of the file are not closed; those that were reported are not counted.
ptrdiff_t Builder::lacking() {
  if (lacking_) return *lacking_;
  ptrdiff_t open = 0;
  for (Token token = look_.token(0); token.kind != TokenKind::end; token = look_.next(token)) {
    if (token.kind != TokenKind::other) continue;
    if (text_[token.begin] == '{') ++open;
    if (text_[token.begin] == '}') --open;
  }
  lacking_ = open;
  return open;
}

bool Builder::outdented(size_t at) {
  return !braces_.empty() && ends_at(braces_.back(), look_.token(at)) && lacking() > 0;
}

void Builder::open(Level level, source::Span span) {
  const Token next = look_.token(span.end);
  const bool below = look_.first_on_line(next.begin);
  braces_.push_back({level, span, indent_of(span.begin), below ? indent_of(next.begin) : 0});
}

void Builder::on(For<g::rules_open>, source::Span span) {
  rules_.clear();
  open(Level::rules, span);
}

void Builder::on(For<g::over_dimension>, source::Span) {
  over_ = std::move(word_);
  check_name(*over_, "a dimension");
}

void Builder::on(For<g::from_dimension>, source::Span) {
  from_ = std::move(word_);
  check_name(*from_, "a dimension");
}

void Builder::on(For<g::phases_begin>, source::Span span) {
  block_ = {};
  over_.reset();
  from_.reset();
  block_.doc = doc(span.begin);
  block_.dimension = {std::string(look_.slice(span.begin, span.end)), span, false};
}

void Builder::on(For<g::block_begin>, source::Span span) {
  block_ = {};
  over_.reset();
  from_.reset();
  block_.doc = doc(span.begin);
  block_.dimension = std::move(word_);
  check_name(block_.dimension, "a dimension");
}

void Builder::end_block(source::Span span, std::vector<Block>& blocks) {
  block_.span = span;
  block_.over = std::exchange(over_, std::nullopt);
  block_.from = std::exchange(from_, std::nullopt);
  block_.rules = std::move(rules_);
  rules_.clear();
  blocks.push_back(std::move(block_));
}

void Builder::check_name(const Word& word, std::string_view what) {
  if (word.quoted || !is_keyword(word.text)) return;
  sink_.add(diag::code::keyword_as_name, word.span, word.text, what).help("choose another name");
}

}  // namespace kr::syntax
