// Builder: declarations of a file, and items of engines and models other than blocks of rules.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/nearest.hpp"
#include "syntax/builder.hpp"
#include "syntax/words.hpp"

namespace kr::syntax {
namespace {

bool is_color(std::string_view text) {
  return text.size() == 7 && text[0] == '#' &&
         text.find_first_not_of("0123456789abcdefABCDEF", 1) == text.npos;
}

}  // namespace

/// The first declaration determines which `##` blocks document the file, unless one is before its
/// head: what the file requires, and its metadata.
void Builder::declare(size_t at, bool is_use) {
  after_misplaced_ = false;
  if (declared_) return;
  declared_ = true;
  if (file_.doc.empty()) file_.doc = trivia_.of_file(head_end_, at, is_use);
}

/// A block before the first declaration, with a blank line between them, documents the file.
Doc Builder::declare_with_doc(size_t at) {
  const bool of_file = !declared_ && file_.doc.empty() && trivia_.separated(at);
  Doc doc = of_file ? Doc{} : this->doc(at);
  declare(at, false);
  return doc;
}

// Engines and models.

void Builder::on(For<g::engine_begin>, source::Span span) {
  engine_ = {};
  engine_.span = span;
  engine_.doc = declare_with_doc(span.begin);
  in_engine_ = true;
}

void Builder::on(For<g::engine>, source::Span span) {
  in_engine_ = false;
  engine_.span = span;
  closed_engine_ = range(span.end - 1, span.end);
  if (engine_.name.span.valid()) file_.engines.push_back(std::move(engine_));
  engine_ = {};
}

void Builder::on(For<g::model_begin>, source::Span span) {
  model_ = {};
  model_.span = span;
  model_.doc = doc(span.begin);
  in_model_ = true;
}

void Builder::on(For<g::model>, source::Span span) {
  in_model_ = false;
  model_.span = span;
  if (model_.name.span.valid() && in_engine_) engine_.models.push_back(std::move(model_));
  model_ = {};
}

void Builder::on(For<g::fold_item>, source::Span span) {
  if (!expr_.valid()) return;
  Expr& expr = file_.exprs.get(expr_);
  const bool plain = !expr.grouped && !expr.ignore_case && !expr.at_begin && !expr.at_end;
  if (expr.kind == ExprKind::pattern && plain && expr.name.parts.size() == 1) {
    expr.kind = ExprKind::text;
    expr.text = expr.name.parts[0].text;
    expr.text_span = expr.span;
    expr.name = {};
    expr.at_begin = expr.at_end = true;
  } else if (expr.kind == ExprKind::text && plain) {
    expr.at_begin = expr.at_end = true;
  }
  body().folds.push_back({span, expr_});
  expr_ = {};
}

void Builder::on(For<g::abbreviated>, source::Span) {
  abbreviation_ = {};
  abbreviation_.from = std::move(word_);
}

void Builder::on(For<g::abbreviation>, source::Span span) {
  abbreviation_.span = span;
  abbreviation_.to = std::move(word_);
  body().abbreviations.push_back(std::move(abbreviation_));
}

void Builder::on(For<g::detect>, source::Span span) {
  if (expr_.valid()) body().detects.push_back({span, expr_});
  expr_ = {};
}

// Declarations of a file.

void Builder::on(For<g::use_begin>, source::Span span) {
  use_ = {};
  declare(span.begin, true);
}

void Builder::on(For<g::use_alias>, source::Span) {
  use_.alias = std::move(word_);
  check_name(*use_.alias, "a module");
}

void Builder::on(For<g::use>, source::Span span) {
  use_.span = span;
  if (!use_.alias && !use_.module.parts.empty()) check_name(use_.module.parts.back(), "a module");
  if (use_.file || !use_.module.parts.empty()) file_.uses.push_back(std::move(use_));
}

void Builder::on(For<g::pattern_begin>, source::Span span) {
  pattern_ = {};
  over_.reset();
  from_.reset();
  pattern_.span = span;
  pattern_.doc = declare_with_doc(span.begin);
  pending_ = Pending::pattern;
}

void Builder::on(For<g::pattern_name>, source::Span) {
  pattern_.name = std::move(word_);
  check_name(pattern_.name, "a pattern");
}

void Builder::on(For<g::pattern>, source::Span span) {
  pending_ = Pending::none;
  pattern_.span = span;
  pattern_.over = std::exchange(over_, std::nullopt);
  pattern_.expr = expr_.valid() ? expr_ : file_.exprs.add(placeholder(span));
  expr_ = {};
  if (pattern_.name.span.valid()) file_.patterns.push_back(std::move(pattern_));
}

void Builder::on(For<g::labels_begin>, source::Span span) {
  labels_ = {};
  labels_.doc = declare_with_doc(span.begin);
}

void Builder::on(For<g::labels_dimension>, source::Span) {
  labels_.dimension = std::move(word_);
  check_name(labels_.dimension, "a dimension");
}

void Builder::on(For<g::labels>, source::Span span) {
  labels_.span = span;
  if (labels_.dimension.span.valid()) file_.labels.push_back(std::move(labels_));
}

void Builder::on(For<g::vocabulary_label>, source::Span span) {
  entry_ = {};
  entry_.doc = doc(span.begin);
  entry_.label = std::move(word_);
}

void Builder::on(For<g::label_entry>, source::Span span) {
  entry_.span = span;
  const std::string_view label = entry_.label.text;
  // `colour "#4e79a7"` parses as a label with that title.
  if (!entry_.label.quoted && entry_.title && is_color(entry_.title->text) &&
      edit_distance(label, "color") <= 2 && !labels_.labels.empty() &&
      !labels_.labels.back().color) {
    misspelled(entry_.label.span, "color");
    labels_.labels.back().color = std::move(entry_.title);
    return;
  }
  labels_.labels.push_back(std::move(entry_));
}

void Builder::on(For<g::table_begin>, source::Span span) {
  table_ = {};
  over_.reset();
  from_.reset();
  table_.doc = declare_with_doc(span.begin);
}

void Builder::on(For<g::table_dimension>, source::Span) {
  table_.dimension = std::move(word_);
  check_name(table_.dimension, "a dimension");
}

void Builder::on(For<g::table>, source::Span span) {
  table_.span = span;
  table_.over = std::exchange(over_, std::nullopt);
  table_.from = std::exchange(from_, std::nullopt);
  table_.rules = std::move(rules_);
  rules_.clear();
  if (table_.name.span.valid() && table_.dimension.span.valid()) {
    file_.tables.push_back(std::move(table_));
  }
}

void Builder::on(For<g::test_begin>, source::Span span) {
  test_ = {};
  declare(span.begin, false);
}

void Builder::on(For<g::test_open>, source::Span span) {
  case_ = {};
  cases_.clear();
  open(Level::test, span);
}

void Builder::on(For<g::test>, source::Span span) {
  test_.span = span;
  if (test_.engine.span.valid()) file_.tests.push_back(std::move(test_));
}

void Builder::on(For<g::expected_label>, source::Span) {
  if (!case_.expected.empty()) case_.expected.back().label = std::move(word_);
}

/// The end of one operation of a test.
void Builder::end_case(source::Span span) {
  case_.span = span;
  std::erase_if(case_.expected, [](const Expectation& e) {
    return !e.dimension.span.valid() || !e.label.span.valid();
  });
  cases_.push_back(std::move(case_));
  case_ = {};
}

void Builder::on(For<g::case_next>, source::Span span) {
  // The place before the next operation: `at` of the grammar looks ahead without this action.
  end_case(range(case_.name.span.valid() ? case_.name.span.begin : span.begin,
                 look_.before_blanks(span.begin)));
}

void Builder::on(For<g::test_case>, source::Span span) {
  const size_t begin = case_.name.span.valid() ? case_.name.span.begin : span.begin;
  end_case(cases_.empty() ? span : range(begin, span.end));
  std::vector<TestCase> cases = std::exchange(cases_, {});
  if (std::ranges::any_of(cases, [](const TestCase& one) { return !one.name.span.valid(); })) {
    return;
  }
  if (std::ranges::all_of(cases, [](const TestCase& one) { return one.expected.empty(); })) {
    if (cases.size() > 1) {
      sink_.add(diag::code::syntax, span, "`=>` and a label", "only names")
          .help("write the label that one of them must have: `\"name\" => part o_proj`");
    }
    return;
  }
  TestCase first = std::move(cases.front());
  first.later.assign(std::make_move_iterator(cases.begin() + 1),
                     std::make_move_iterator(cases.end()));
  test_.cases.push_back(std::move(first));
}

}  // namespace kr::syntax
