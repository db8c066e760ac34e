#include "sema/expressions.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sema/costs.hpp"
#include "sema/order.hpp"

namespace kr::sema {
namespace {

/// A unique key of an atom as written.
std::string written_key(const syntax::Expr& written) {
  std::string key;
  key.reserve(written.text.size() + 4);
  key += written.kind == syntax::ExprKind::regex ? '/' : '"';
  key += written.ignore_case ? 'i' : '-';
  key += written.at_begin ? '^' : '-';
  key += written.at_end ? '$' : '-';
  key += written.word ? 'w' : '-';
  key += written.text;
  return key;
}

/// Calls `visit` for an expression of a file and all its parts.
template <class Visit>
void walk(const syntax::File& tree, syntax::ExprId start, Visit visit) {
  std::vector<syntax::ExprId> rest{start};
  while (!rest.empty()) {
    const syntax::ExprId id = rest.back();
    rest.pop_back();
    if (!id.valid()) continue;
    const syntax::Expr& expr = tree.exprs.get(id);
    visit(expr);
    rest.insert(rest.end(), expr.operands.rbegin(), expr.operands.rend());
  }
}

}  // namespace

Expressions::Expressions(Program& program, const Scope& scope, const Vocabularies& vocabularies,
                         const source::SourceMap& sources, diag::Sink& sink)
    : program_(program),
      scope_(scope),
      vocabularies_(vocabularies),
      sources_(sources),
      sink_(sink) {
  program_.words.add({"", "start"});
  program_.words.add({"", "end"});
  size_t exprs = 0;
  for (const Module& module : scope.modules()) exprs += module.tree->exprs.size();
  by_text_.reserve(exprs);
  by_meaning_.reserve(exprs);
  traits_.reserve(exprs);
  resolve_patterns();
}

void Expressions::resolve_patterns() {
  numbering_ = scope_.number(&syntax::File::patterns);
  const std::vector<Found>& all = numbering_.all;
  patterns_.resize(all.size());
  const auto pattern = [&](uint32_t node) -> const syntax::Pattern& {
    return scope_.tree(all[node].module).patterns[all[node].index];
  };
  std::vector<std::vector<uint32_t>> edges(all.size());
  for (uint32_t node = 0; node < all.size(); ++node) {
    const source::FileId module = all[node].module;
    walk(scope_.tree(module), pattern(node).expr, [&](const syntax::Expr& expr) {
      if (expr.kind != syntax::ExprKind::pattern) return;
      if (const auto found = scope_.look(module, expr.name, Noun::pattern)) {
        edges[node].push_back(numbering_.number(*found));
      }
    });
  }
  const auto order = dependencies_first(edges, [&](const std::vector<uint32_t>& path) {
    report_cycle(sink_, diag::code::pattern_cycle, "pattern", path,
                 [&](uint32_t node) -> const syntax::Word& { return pattern(node).name; });
  });
  for (const uint32_t node : order) {
    over_ = pattern(node).over ? &*pattern(node).over : nullptr;
    patterns_[node] = build(all[node].module, pattern(node).expr);
    over_ = nullptr;
    if (patterns_[node].valid() && traits(patterns_[node]).depth > max_expr_depth) {
      sink_.add(diag::code::too_deep, pattern(node).name.span, "pattern", pattern(node).name.text,
                max_expr_depth);
      patterns_[node] = {};
    }
  }
}

ExprId Expressions::resolve(source::FileId module, syntax::ExprId expr, SubjectKind subject,
                            const syntax::Word* over) {
  over_ = over;
  const ExprId built = expr.valid() ? build(module, expr) : ExprId{};
  over_ = nullptr;
  if (!built.valid()) return {};
  if (traits(built).depth > max_expr_depth) {
    const syntax::Expr& written = scope_.tree(module).exprs.get(expr);
    sink_.add(diag::code::too_deep, written.span, "expression",
              sources_.text(written.span).substr(0, 40), max_expr_depth);
    return {};
  }
  if (subject != SubjectKind::operation && traits(built).phase) {
    const source::Span span = cause(module, expr, [](const Traits& one) { return one.phase; });
    sink_.add(diag::code::phase_not_known, span, sources_.text(span))
        .help("use it in the rules of a dimension");
    return {};
  }
  if (subject != SubjectKind::operation && subject != SubjectKind::detection &&
      traits(built).kind) {
    refuse_kind(module, expr, subject == SubjectKind::phase ? "a range or step" : "a module");
    return {};
  }
  return built;
}

ExprId Expressions::any_of(const std::vector<ExprId>& exprs) {
  Expr any{.op = ExprOp::disjunction};
  std::ranges::copy_if(exprs, std::back_inserter(any.operands), &ExprId::valid);
  if (any.operands.empty()) return {};
  if (any.operands.size() == 1) return any.operands.front();
  any.span = program_.exprs.get(any.operands.front()).span;
  return add(std::move(any));
}

ExprId Expressions::all_of(const std::vector<ExprId>& exprs) {
  if (exprs.size() == 1) return exprs.front();
  return add({.op = ExprOp::conjunction,
              .operands = exprs,
              .span = program_.exprs.get(exprs.back()).span});
}

ExprId Expressions::none_of(const std::vector<ExprId>& exprs) {
  const ExprId any = any_of(exprs);
  return add({.op = ExprOp::negation, .operands = {any}, .span = program_.exprs.get(any).span});
}

ExprId Expressions::anything() {
  Expr any{.op = ExprOp::disjunction};
  for (const OperationKind kind : operation_kinds) {
    any.operands.push_back(add({.op = ExprOp::operation, .operation = kind}));
  }
  return add(std::move(any));
}

ExprId Expressions::add(Expr expr) {
  Traits all{.within = expr.op == ExprOp::within || expr.op == ExprOp::within_op ||
                       expr.op == ExprOp::op || expr.op == ExprOp::phase,
             .phase = expr.op == ExprOp::phase,
             .kind = expr.op == ExprOp::operation,
             .own = expr.op == ExprOp::own,
             .word = expr.word};
  for (const ExprId operand : expr.operands) {
    const Traits& one = traits(operand);
    all.depth = std::max(all.depth, one.depth + 1);
    all.within |= one.within;
    all.kind |= one.kind;
    all.own |= one.own;
    all.phase |= one.phase;
    if (!all.word.valid() || program_.words.get(all.word).dimension.empty()) all.word = one.word;
  }
  traits_.push_back(all);
  return program_.exprs.add(std::move(expr));
}

// The recursion is bounded by syntax::max_nesting: patterns are shared by reference.
ExprId Expressions::build(source::FileId module, syntax::ExprId expr) {
  if (!expr.valid()) return {};
  const syntax::Expr& written = scope_.tree(module).exprs.get(expr);
  switch (written.kind) {
    case syntax::ExprKind::text:
    case syntax::ExprKind::regex: {
      const AtomId atom = atom_of(written);
      if (!atom.valid()) return {};
      return add({.op = ExprOp::atom, .atom = atom, .span = written.span});
    }
    case syntax::ExprKind::pattern:
      return build_name(module, written);
    case syntax::ExprKind::operation:
      return add({.op = ExprOp::operation, .operation = written.operation, .span = written.span});
    case syntax::ExprKind::within:
    case syntax::ExprKind::within_op:
      return build_within(module, written);
    case syntax::ExprKind::own:
      return build_own(module, written);
    case syntax::ExprKind::op:
      return build_op(module, written);
    case syntax::ExprKind::phase:
      return build_phase(written);
    case syntax::ExprKind::otherwise:
      sink_.add(diag::code::misplaced_otherwise, written.span)
          .help("remove it here; a block may end with `LABEL: otherwise`");
      return {};
    case syntax::ExprKind::negation:
      return build_operands(module, written, ExprOp::negation);
    case syntax::ExprKind::conjunction:
      return build_operands(module, written, ExprOp::conjunction);
    case syntax::ExprKind::disjunction:
      return build_operands(module, written, ExprOp::disjunction);
  }
  return {};
}

ExprId Expressions::build_name(source::FileId module, const syntax::Expr& written) {
  if (over_ != nullptr) {
    if (const auto word = build_word(module, written)) return *word;
  }
  const auto found = scope_.find(module, written.name, Noun::pattern, sink_);
  if (!found) return {};
  const ExprId expr = pattern_expr(*found);
  if (!expr.valid() || !traits(expr).word.valid()) return expr;
  const std::string& dimension = program_.words.get(traits(expr).word).dimension;
  if (over_ == nullptr) {
    sink_.add(diag::code::order_pattern, written.span, written.name.text(), dimension)
        .help("use it in a block or pattern with `over`");
    return {};
  }
  if (!dimension.empty() && dimension != over_->text) {
    sink_.add(diag::code::other_over, written.span, "pattern `" + written.name.text() + "`",
              dimension, over_->text);
    return {};
  }
  return expr;
}

std::optional<ExprId> Expressions::build_word(source::FileId module, const syntax::Expr& written) {
  if (written.name.parts.size() != 1) return std::nullopt;
  const std::string& text = written.name.parts[0].text;
  if (text == "_") {
    const ExprId any = anything();
    program_.exprs.get(any).span = written.span;
    return any;
  }
  if (text == "start" || text == "end") {
    return add({.op = ExprOp::label,
                .word = text == "start" ? start_word : end_word,
                .span = written.span});
  }
  const auto [at, added] = visible_.try_emplace({module.index, over_->text});
  Vocabulary& visible = at->second;
  if (added) {
    std::vector<source::FileId> modules{module};
    for (const source::FileId used : scope_.module(module).uses) {
      if (used.valid()) modules.push_back(used);
    }
    visible = vocabularies_.merged(modules, over_->text);
  }
  const bool pattern = scope_.look(module, written.name, Noun::pattern).has_value();
  if (pattern && visible.closed() && visible.has(text)) {
    sink_.add(diag::code::label_and_pattern, written.span, text, over_->text)
        .help("give the pattern another name");
    return ExprId{};
  }
  if (pattern) return std::nullopt;
  if (!visible.closed() || visible.has(text)) return label(over_->text, text, written.span);
  diag::Diagnostic& wrong = sink_.add(diag::code::unknown_label, written.span, text, over_->text);
  if (worth_suggesting(sink_)) {
    std::vector<std::string> known = visible.names();
    for (std::string& name : scope_.names(module, Noun::pattern)) known.push_back(std::move(name));
    suggest(wrong, text, known, "", sink_);
  }
  return ExprId{};
}

ExprId Expressions::label(std::string_view dimension, const std::string& label, source::Span span) {
  const auto [at, added] = words_.try_emplace({std::string(dimension), label});
  if (added) at->second = program_.words.add({std::string(dimension), label});
  return add({.op = ExprOp::label, .word = at->second, .span = span});
}

bool Expressions::is_edge(ExprId id) const {
  const Expr& expr = program_.exprs.get(id);
  if (expr.op == ExprOp::label) return expr.word == start_word || expr.word == end_word;
  return expr.op == ExprOp::disjunction &&
         std::ranges::all_of(expr.operands, [this](ExprId part) { return is_edge(part); });
}

ExprId Expressions::build_operands(source::FileId module, const syntax::Expr& written, ExprOp op) {
  Expr expr{.op = op, .span = written.span};
  bool whole = !written.operands.empty();
  expr.operands.reserve(written.operands.size());
  for (const syntax::ExprId operand : written.operands) {
    const ExprId built = build(module, operand);
    if (!built.valid()) {
      whole = false;  // build the others anyway, to report their mistakes
      continue;
    }
    expr.operands.push_back(built);
    expr.places.push_back(scope_.tree(module).exprs.get(operand).span);
  }
  return whole ? add(std::move(expr)) : ExprId{};
}

ExprId Expressions::build_within(source::FileId module, const syntax::Expr& written) {
  const syntax::ExprId operand = written.operands.empty() ? syntax::ExprId{} : written.operands[0];
  const syntax::Word* over = std::exchange(over_, nullptr);  // ranges have no labels
  const ExprId built = build(module, operand);
  over_ = over;
  if (!built.valid()) return {};
  const Traits inner = traits(built);
  if (inner.within) {
    sink_
        .add(diag::code::nested_within,
             cause(module, operand, [](const Traits& one) { return one.within; }))
        .related(written.span, "inside this one")
        .help("to match two enclosing names, write `within A & within B`");
    return {};
  }
  if (inner.kind) {
    refuse_kind(module, operand, "an enclosing module or range");
    return {};
  }
  if (written.kind == syntax::ExprKind::within) {
    return add({.op = ExprOp::within, .operands = {built}, .span = written.span});
  }
  AtomId& wanted =
      written.kind == syntax::ExprKind::op ? program_.marks.innermost : program_.marks.op;
  if (!wanted.valid()) {
    wanted = mark(written.kind == syntax::ExprKind::op ? "innermost op" : "op", written.span);
  }
  const ExprOp op = written.kind == syntax::ExprKind::op ? ExprOp::op : ExprOp::within_op;
  return add({.op = op, .atom = wanted, .operands = {built}, .span = written.span});
}

ExprId Expressions::build_op(source::FileId module, const syntax::Expr& written) {
  const ExprId named = build_within(module, written);
  if (!named.valid() || !written.called) return named;
  const source::Span name = program_.exprs.get(program_.exprs.get(named).operands[0]).span;
  const std::string text(sources_.text({written.span.file, name.end, written.span.end}));
  const AtomId fits = mark("op with" + text, written.span);
  const auto known =
      std::ranges::find(program_.marks.arguments, fits, &ContextMarks::Arguments::mark);
  if (known == program_.marks.arguments.end()) {
    program_.marks.arguments.push_back({resolve_arguments(written.arguments, sink_), fits});
  }
  program_.exprs.get(named).atom = fits;
  return named;
}

ExprId Expressions::build_phase(const syntax::Expr& written) {
  Expr any{.op = ExprOp::disjunction, .span = written.span};
  for (const syntax::Word& label : written.labels) {
    const AtomId of = mark("phase " + label.text, label.span);
    const auto known = std::ranges::find(program_.marks.phases, label.text,
                                         &std::pair<std::string, AtomId>::first);
    if (known == program_.marks.phases.end()) program_.marks.phases.emplace_back(label.text, of);
    any.operands.push_back(add({.op = ExprOp::phase, .atom = of, .span = label.span}));
    any.places.push_back(label.span);
  }
  if (any.operands.empty()) return {};
  if (any.operands.size() > 1) return add(std::move(any));
  program_.exprs.get(any.operands[0]).span = written.span;
  return any.operands[0];
}

/// An atom whose text no name contains.
AtomId Expressions::mark(const std::string& text, source::Span span) {
  const auto make = [&](const std::string& of) {
    const auto [at, added] = marks_.try_emplace(of);
    if (added) {
      regex::Regex regex = regex::literal("\x01" + of, false, false, false);
      std::string hyperscan = regex::to_hyperscan(regex);
      at->second = program_.atoms.add({std::move(regex), std::move(hyperscan), of, span});
    }
    return at->second;
  };
  if (!program_.marks.beside.valid()) program_.marks.beside = make("context");
  return make(text);
}

ExprId Expressions::build_own(source::FileId module, const syntax::Expr& written) {
  const syntax::ExprId operand = written.operands.empty() ? syntax::ExprId{} : written.operands[0];
  const syntax::Word* over = std::exchange(over_, nullptr);  // a function's name has no label
  const ExprId built = build(module, operand);
  over_ = over;
  if (!built.valid()) return {};
  const auto foreign = [](const Traits& one) { return one.within || one.kind; };
  if (foreign(traits(built))) {
    const source::Span span = cause(module, operand, foreign);
    sink_.add(diag::code::not_of_a_name, span, sources_.text(span))
        .related(written.span, "inside this one")
        .help("join it with `&`, outside of `own`");
    return {};
  }
  return add({.op = ExprOp::own, .operands = {own(built)}, .span = written.span});
}

/// The same expression over the function's own name. The recursion is bounded by max_expr_depth.
ExprId Expressions::own(ExprId id) {
  if (const auto known = own_.find(id); known != own_.end()) return known->second;
  Expr expr = program_.exprs.get(id);
  if (expr.op == ExprOp::own) return expr.operands.front();
  if (expr.op == ExprOp::atom) expr.atom = own(expr.atom);
  for (ExprId& operand : expr.operands) operand = own(operand);
  return own_[id] = add(std::move(expr));
}

AtomId Expressions::own(AtomId id) {
  const auto [at, added] = own_atoms_.try_emplace(id);
  if (added) {
    Atom atom = program_.atoms.get(id);
    atom.own = true;
    at->second = program_.atoms.add(std::move(atom));
  }
  return at->second;
}

template <class Has>
source::Span Expressions::cause(source::FileId module, syntax::ExprId expr, Has has) const {
  std::optional<source::Span> found;
  walk(scope_.tree(module), expr, [&](const syntax::Expr& written) {
    if (found) return;
    Traits here;
    here.phase = written.kind == syntax::ExprKind::phase;
    here.within = here.phase || written.kind == syntax::ExprKind::within ||
                  written.kind == syntax::ExprKind::within_op ||
                  written.kind == syntax::ExprKind::op;
    here.kind = written.kind == syntax::ExprKind::operation;
    here.own = written.kind == syntax::ExprKind::own;
    if (written.kind == syntax::ExprKind::pattern) {
      const auto pattern = scope_.look(module, written.name, Noun::pattern);
      if (pattern && pattern_expr(*pattern).valid()) here = traits(pattern_expr(*pattern));
    }
    if (has(here)) found = written.span;
  });
  return found ? *found : scope_.tree(module).exprs.get(expr).span;
}

void Expressions::refuse_kind(source::FileId module, syntax::ExprId expr, std::string_view whose) {
  const source::Span span = cause(module, expr, [](const Traits& one) { return one.kind; });
  sink_.add(diag::code::kind_of_no_operation, span, sources_.text(span), whose);
}

AtomId Expressions::atom_of(const syntax::Expr& written) {
  std::string key = written_key(written);
  if (const auto known = by_text_.find(key); known != by_text_.end()) return known->second;
  AtomId atom;
  if (written.kind == syntax::ExprKind::text) {
    atom = add_atom(
        written.word && !written.text.empty()
            ? regex::whole_word(written.text, written.ignore_case, written.at_end)
            : regex::literal(written.text, written.ignore_case, written.at_begin, written.at_end),
        written);
  } else {
    auto regex =
        regex::parse(written.text, written.text_span, {.ignore_case = written.ignore_case}, sink_);
    if (!regex) return {};
    atom = add_atom(*regex, written);
  }
  by_text_.emplace(std::move(key), atom);
  return atom;
}

AtomId Expressions::add_atom(const regex::Regex& regex, const syntax::Expr& written) {
  std::string hyperscan = regex::to_hyperscan(regex);
  // Named groups are not part of that text, but phases use them.
  std::string meaning = hyperscan;
  if (!regex::group_names(regex).empty()) meaning.append(1, '?').append(regex::to_re2(regex));
  const auto [at, added] = by_meaning_.emplace(std::move(meaning), AtomId{});
  if (!added) return at->second;
  const bool is_regex = written.kind == syntax::ExprKind::regex;
  std::string source(written.word ? "word " : written.at_begin ? "^" : "");
  source += is_regex ? '/' : '"';
  source += sources_.text(written.text_span);
  source += is_regex ? '/' : '"';
  if (written.ignore_case) source += 'i';
  if (written.at_end) source += '$';
  // A copy has no room to grow, of which many atoms would keep much.
  at->second = program_.atoms.add(
      {regex::Regex(regex), std::move(hyperscan), std::move(source), written.span});
  return at->second;
}

}  // namespace kr::sema
