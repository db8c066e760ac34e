// Builder: `cost` blocks, and tests of costs.
#include "base/integer.hpp"
#include "syntax/builder.hpp"
#include "syntax/parse.hpp"

namespace kr::syntax {

int64_t Builder::cost_number(source::Span span) {
  const std::string_view digits = look_.slice(span.begin, span.end);
  if (const auto value = integer_from(digits)) return *value;
  sink_.add(diag::code::syntax, span, "a number below 2^63", "`" + std::string(digits) + "`");
  return 0;
}

Word Builder::word_at(source::Span span) const {
  return {std::string(look_.slice(span.begin, span.end)), span, false};
}

// Blocks and clauses.

void Builder::on(For<g::cost_begin>, source::Span span) {
  cost_ = {};
  cost_.keyword = cost_.span = range(span.begin, span.begin + sizeof("cost") - 1);
  cost_.doc = level() == Level::file ? declare_with_doc(span.begin) : doc(span.begin);
}

void Builder::on(For<g::cost_name>, source::Span span) {
  cost_.name = std::move(word_);
  check_name(*cost_.name, "a block of costs");
  if (level() == Level::file) return;
  sink_.add(diag::code::misplaced, span, "cost " + cost_.name->text, "inside an engine")
      .help("move it out of the engine, and write `cost {{ include {} }}` here", cost_.name->text);
}

void Builder::on(For<g::cost_open>, source::Span span) {
  clauses_.clear();
  open(Level::costs, span);
}

void Builder::on(For<g::cost_block>, source::Span span) {
  cost_.span = span;
  cost_.clauses = std::move(clauses_);
  clauses_.clear();
  (level() == Level::file ? file_.costs : body().costs).push_back(std::move(cost_));
}

void Builder::on(For<g::clause_begin>, source::Span span) {
  clause_ = {};
  clause_.span = span;
  arguments_.clear();
  values_.clear();
}

void Builder::on(For<g::cost_text>, source::Span span) {
  Expr expr{.kind = ExprKind::text, .span = span, .text = std::move(word_.text)};
  expr.text_span = range(span.begin + 1, span.end - 1);
  expr.at_begin = expr.at_end = true;
  clause_.name = file_.exprs.add(std::move(expr));
  clause_.lone = true;
}

void Builder::on(For<g::cost_expression>, source::Span span) {
  on(For<g::expression>(), span);
  clause_.name = std::exchange(expr_, {});
}

void Builder::on(For<g::flops_amount>, source::Span) {
  take_amount(clause_.flops, "flops");
}

void Builder::on(For<g::bytes_amount>, source::Span) {
  take_amount(clause_.bytes, "bytes");
}

void Builder::take_amount(std::optional<CostAmount>& to, std::string_view what) {
  if (to) {
    sink_.add(diag::code::redefinition, amount_span_, "amount", what).help("remove one of the two");
    return;
  }
  to = CostAmount{!formula_.valid(), formula_};
}

void Builder::on(For<g::cost_clause>, source::Span span) {
  clause_.doc = doc(span.begin);
  clause_.span = span;
  clause_.arguments = std::move(arguments_);
  clause_.values = std::move(values_);
  arguments_.clear();
  values_.clear();
  if (clause_.name.valid() && (clause_.flops || clause_.bytes)) {
    clauses_.push_back(std::move(clause_));
  }
  clause_ = {};
}

void Builder::on(For<g::cost_include>, source::Span span) {
  pending_ = Pending::none;
  if (rule_.table.parts.empty()) return;
  CostClause& made = clauses_.emplace_back();
  made.span = span;
  made.include = true;
  made.table = std::move(rule_.table);
  made.doc = doc(span.begin);
}

// Arguments.

void Builder::on(For<g::arguments_open>, source::Span) {
  arguments_.clear();
  values_.clear();
  clause_.called = true;
}

void Builder::add_argument(CostArgument::Kind kind, source::Span span) {
  CostArgument& made = arguments_.emplace_back();
  made.kind = kind;
  made.span = span;
}

void Builder::on(For<g::shape_open>, source::Span) {
  shape_.clear();
  rest_ = false;
}

void Builder::add_dimension(ShapeDimension dimension) {
  dimension.rest = std::exchange(rest_, false);
  if (dimension.rest && !shape_.empty()) {
    sink_.add(diag::code::syntax, dimension.span, "a dimension", "`..`")
        .help("only the first dimension of a shape can match several");
  }
  shape_.push_back(std::move(dimension));
}

void Builder::on(For<g::shape_any>, source::Span span) {
  add_dimension({.kind = ShapeDimension::Kind::any, .span = span});
}

void Builder::on(For<g::shape_number>, source::Span span) {
  add_dimension({.kind = ShapeDimension::Kind::number, .value = cost_number(span), .span = span});
}

void Builder::on(For<g::shape_name>, source::Span span) {
  add_dimension({.kind = ShapeDimension::Kind::name, .name = word_at(span), .span = span});
}

void Builder::on(For<g::shape_tensor>, source::Span span) {
  add_argument(CostArgument::Kind::tensor, span);
  arguments_.back().dimensions = std::move(shape_);
  shape_.clear();
}

void Builder::on(For<g::argument_type>, source::Span span) {
  if (!arguments_.empty()) arguments_.back().type = word_at(span);
}

void Builder::on(For<g::argument_any>, source::Span span) {
  add_argument(CostArgument::Kind::any, span);
}

void Builder::on(For<g::argument_number>, source::Span span) {
  add_argument(CostArgument::Kind::number, span);
  arguments_.back().values = {cost_number(span)};
}

void Builder::on(For<g::argument_word>, source::Span span) {
  add_argument(CostArgument::Kind::word, span);
  arguments_.back().word = word_at(span);
}

void Builder::on(For<g::argument_list>, source::Span span) {
  add_argument(CostArgument::Kind::list, span);
  arguments_.back().values = std::move(list_);
  list_.clear();
}

// Formulas.

void Builder::on(For<g::formula_number>, source::Span span) {
  formulas_.value({.kind = FormulaKind::number, .span = span, .value = cost_number(span)});
}

void Builder::on(For<g::formula_name>, source::Span span) {
  formulas_.value({.kind = FormulaKind::name, .span = span, .name = word_at(span).text});
}

void Builder::on(For<g::formula_call>, source::Span span) {
  formulas_.call(span, std::string(look_.slice(span.begin, span.end - 1)));
  check_formula(span);
}

void Builder::on(For<g::formula_open>, source::Span span) {
  formulas_.open(span);
  check_formula(span);
}

void Builder::check_formula(source::Span span) {
  if (formulas_.depth() <= static_cast<size_t>(max_nesting)) return;
  sink_.add(diag::code::nesting_too_deep, span, max_nesting)
      .help("name a part of it: `with part = …`");
  formulas_.begin();
  abandon(span.end);
}

void Builder::on(For<g::formula_operator>, source::Span span) {
  formulas_.operation(look_.byte(span.begin));
  check_formula(span);
}

void Builder::on(For<g::index_number>, source::Span span) {
  formulas_.index(span, cost_number(span));
}

void Builder::on(For<g::formula>, source::Span span) {
  if (formulas_.in_parens()) {
    const size_t end = look_.before_blanks(span.end);
    if (is_first_report(look_.past_gap(span.end))) {
      sink_.add(diag::code::unclosed_paren, range(end, end))
          .related(formulas_.open_paren(), "opened here")
          .help("add `)`");
    }
  }
  amount_span_ = span;
  formula_ = formulas_.finish();
}

size_t Builder::mistake(For<g::formula_atom>, source::Span seen) {
  formulas_.value({.kind = FormulaKind::number, .span = range(seen.begin, seen.begin), .value = 0});
  return expected(seen.begin, "a number or a name");
}

// Tests.

void Builder::on(For<g::case_call>, source::Span) {
  TestCase::Call call;
  call.arguments = std::move(arguments_);
  call.type = std::exchange(case_type_, {});
  call.values = std::move(values_);
  arguments_.clear();
  values_.clear();
  case_.call = std::move(call);
}

}  // namespace kr::syntax
