// The state of one parse: what to do once a rule of the grammar has been read, the AST under
// construction, the reports of mistakes, and the recovery after a mistake.
//
// `mistake` is called for a rule that has to match, but does not; so are other methods that take a
// Span and return an offset. They report: the span is the text found (empty if something is
// missing), and parsing continues at the offset. To abandon an item they throw Abandoned.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "diag/diagnostic.hpp"
#include "grammar/kr.hpp"
#include "syntax/ast.hpp"
#include "syntax/expr_builder.hpp"
#include "syntax/foreign_operand.hpp"
#include "syntax/formula_builder.hpp"
#include "syntax/lookahead.hpp"
#include "syntax/trivia.hpp"

namespace kr::syntax {

namespace g = grammar;

inline constexpr size_t longest_word = 40;   // bytes of a name in a message
inline constexpr size_t guess_bytes = 1000;  // bytes read for a guess

/// Names a rule of the grammar: Builder::on is called with the text that it matches.
template <class Rule>
struct For {};

/// The kind of block between two braces; `file`: outside all braces.
enum class Level : uint8_t { file, engine, model, rules, labels, test, costs };

class Builder {
 public:
  /// Thrown to abandon an item; parsing continues after `at`.
  struct Abandoned {
    size_t at;
  };

  Builder(const source::SourceMap& sources, source::FileId file, diag::Sink& sink);

  source::Span span(const char* begin, const char* end) const;
  source::Span seen(size_t begin, size_t end) const { return range(begin, end); }
  File take();
  /// Whether a `requires` at the head of the file, which is then reported, needs a later kr. Reads
  /// the head without the grammar: what follows may be in a language that this kr does not know.
  bool requires_later_kr();
  /// Whether the file is in another format (JSON, YAML, …), which is then reported.
  bool is_other_format();
  /// For a text that was reported as not UTF-8: bytes beyond ASCII are not reported again.
  void ignore_broken_bytes() { broken_bytes_ = true; }

  // Words, strings, paths: stored in word_ and path_ for the next action.
  void on(For<g::comment>, source::Span span) { trivia_.add(span.begin, span.end); }
  void on(For<g::word>, source::Span span) {
    word_ = {std::string(look_.slice(span.begin, span.end)), span, false};
  }
  void on(For<g::text_bytes>, source::Span span) { bytes_ = span; }
  void on(For<g::string>, source::Span span) { word_ = {unescape(bytes_, span), span, true}; }
  void on(For<g::path_head>, source::Span span);
  void on(For<g::path_part>, source::Span span);

  // Expressions.
  void on(For<g::expression_begin>, source::Span span);
  void on(For<g::expression>, source::Span span);
  void on(For<g::caret>, source::Span span) { anchor_ = span; }
  void on(For<g::word_mark>, source::Span span) { word_mark_ = span; }
  void on(For<g::bare_text>, source::Span span);
  void on(For<g::begin_text>, source::Span span);
  void on(For<g::ignore_case>, source::Span span);
  void on(For<g::end_anchor>, source::Span span);
  void on(For<g::text_atom>, source::Span span);
  void on(For<g::regex_bytes>, source::Span span) { bytes_ = span; }
  void on(For<g::regex>, source::Span span);
  void on(For<g::regex_atom>, source::Span span);
  void on(For<g::operation>, source::Span span);
  void on(For<g::operation_atom>, source::Span span);
  void on(For<g::otherwise_atom>, source::Span span);
  void on(For<g::name_atom>, source::Span span);
  void on(For<g::open_paren>, source::Span span);
  void on(For<g::close_paren>, source::Span span);
  void on(For<g::negation>, source::Span span) { prefix(ExprKind::negation, span); }
  void on(For<g::within>, source::Span span) { prefix(ExprKind::within, span); }
  void on(For<g::within_op>, source::Span span) { prefix(ExprKind::within_op, span); }
  void on(For<g::own>, source::Span span) { prefix(ExprKind::own, span); }
  void on(For<g::op_mark>, source::Span span) { prefix(ExprKind::op, span); }
  void on(For<g::op_arguments>, source::Span span);
  void on(For<g::phase_mark>, source::Span) { phases_.clear(); }
  void on(For<g::phase_name>, source::Span) { phases_.push_back(std::move(word_)); }
  void on(For<g::phase_atom>, source::Span span);
  void on(For<g::or_operator>, source::Span) { exprs_.disjunction(); }
  void on(For<g::bracket_open>, source::Span span) { step_.open = span; }
  void on(For<g::bracket_close>, source::Span span) { step_.close = span; }
  void on(For<g::quantifier>, source::Span span);
  void on(For<g::chain_step>, source::Span span);

  // Rules and their blocks.
  void on(For<g::rule_head>, source::Span span);
  void on(For<g::colonless_head>, source::Span span) { on(For<g::rule_head>(), span); }
  void on(For<g::rule>, source::Span span) { push_rule(span); }
  void on(For<g::refined_rule>, source::Span span) { push_rule(span); }
  void on(For<g::image_head>, source::Span) { rule_.kind = RuleKind::image; }
  void on(For<g::image_label>, source::Span) { rule_.images.push_back(std::move(word_)); }
  void on(For<g::refine_begin>, source::Span span) { begin_rule(RuleKind::refine, span); }
  void on(For<g::refine_label>, source::Span) { rule_.label = std::move(word_); }
  void on(For<g::refine_open>, source::Span span);
  void on(For<g::refine_close>, source::Span span);
  void on(For<g::include_begin>, source::Span span) { begin_rule(RuleKind::include, span); }
  void on(For<g::ignore_begin>, source::Span span) { begin_rule(RuleKind::ignore, span); }
  void on(For<g::continue_begin>, source::Span span) { begin_rule(RuleKind::continues, span); }
  void on(For<g::keep_begin>, source::Span span) { begin_rule(RuleKind::otherwise_keep, span); }
  void on(For<g::include_table>, source::Span) { rule_.table = std::move(path_); }
  void on(For<g::over_dimension>, source::Span span);
  void on(For<g::from_dimension>, source::Span span);
  void on(For<g::rules_open>, source::Span span);
  void on(For<g::rules_close>, source::Span) { braces_.pop_back(); }
  void on(For<g::engine_close>, source::Span) { braces_.pop_back(); }
  void on(For<g::model_close>, source::Span) { braces_.pop_back(); }
  void on(For<g::labels_close>, source::Span) { braces_.pop_back(); }
  void on(For<g::test_close>, source::Span) { braces_.pop_back(); }
  void on(For<g::phases_begin>, source::Span span);
  void on(For<g::phases_block>, source::Span span) { end_block(span, body().phases); }
  void on(For<g::block_begin>, source::Span span);
  void on(For<g::dimension_block>, source::Span span) { end_block(span, body().dimensions); }

  // Requirements and metadata.
  void on(For<g::requirement_begin>, source::Span span);
  void on(For<g::version>, source::Span span) { requirement_.version_span = span; }
  void on(For<g::requirement>, source::Span span);
  void on(For<g::metadata_begin>, source::Span span);
  void on(For<g::metadata_text>, source::Span) { metadata_.text = std::move(word_); }
  void on(For<g::metadata>, source::Span span);

  // Engines and models.
  void on(For<g::engine_begin>, source::Span span);
  void on(For<g::engine_name>, source::Span) { engine_.name = std::move(word_); }
  void on(For<g::engine_title>, source::Span) { engine_.title = std::move(word_); }
  void on(For<g::engine_open>, source::Span span) { open(Level::engine, span); }
  void on(For<g::engine>, source::Span span);
  void on(For<g::model_begin>, source::Span span);
  void on(For<g::model_name>, source::Span) { model_.name = std::move(word_); }
  void on(For<g::model_title>, source::Span) { model_.title = std::move(word_); }
  void on(For<g::model_base>, source::Span) { model_.extends = std::move(path_); }
  void on(For<g::model_open>, source::Span span) { open(Level::model, span); }
  void on(For<g::model>, source::Span span);
  void on(For<g::fold_item>, source::Span span);
  void on(For<g::abbreviated>, source::Span span);
  void on(For<g::abbreviation>, source::Span span);
  void on(For<g::detect>, source::Span span);

  // Costs: syntax/costs.cpp.
  void on(For<g::cost_begin>, source::Span span);
  void on(For<g::cost_name>, source::Span span);
  void on(For<g::cost_open>, source::Span span);
  void on(For<g::cost_close>, source::Span) { braces_.pop_back(); }
  void on(For<g::cost_block>, source::Span span);
  void on(For<g::clause_begin>, source::Span span);
  void on(For<g::cost_text>, source::Span span);
  void on(For<g::cost_expression>, source::Span span);
  void on(For<g::unknown_amount>, source::Span span) {
    amount_span_ = span;
    formula_ = {};
  }
  void on(For<g::flops_amount>, source::Span span);
  void on(For<g::bytes_amount>, source::Span span);
  void on(For<g::cost_type>, source::Span span) { clause_.type = word_at(span); }
  void on(For<g::cost_clause>, source::Span span);
  void on(For<g::cost_include>, source::Span span);
  void on(For<g::arguments_open>, source::Span span);
  void on(For<g::shape_open>, source::Span span);
  void on(For<g::shape_rest>, source::Span) { rest_ = true; }
  void on(For<g::shape_any>, source::Span span);
  void on(For<g::shape_number>, source::Span span);
  void on(For<g::shape_name>, source::Span span);
  void on(For<g::shape_tensor>, source::Span span);
  void on(For<g::argument_type>, source::Span span);
  void on(For<g::argument_any>, source::Span span);
  void on(For<g::argument_number>, source::Span span);
  void on(For<g::argument_word>, source::Span span);
  void on(For<g::list_open>, source::Span) { list_.clear(); }
  void on(For<g::list_number>, source::Span span) { list_.push_back(cost_number(span)); }
  void on(For<g::argument_list>, source::Span span);
  void on(For<g::value_name>, source::Span span) { value_name_ = word_at(span); }
  void on(For<g::cost_value>, source::Span) { values_.push_back({value_name_, formula_}); }
  void on(For<g::formula_begin>, source::Span) { formulas_.begin(); }
  void on(For<g::formula_number>, source::Span span);
  void on(For<g::formula_name>, source::Span span);
  void on(For<g::formula_call>, source::Span span);
  void on(For<g::formula_open>, source::Span span);
  void on(For<g::formula_close>, source::Span span) { formulas_.close(span); }
  void on(For<g::formula_comma>, source::Span) { formulas_.comma(); }
  void on(For<g::formula_operator>, source::Span span);
  void on(For<g::index_number>, source::Span span);
  void on(For<g::formula>, source::Span span);
  void on(For<g::case_type>, source::Span span) { case_type_ = word_at(span); }
  void on(For<g::case_call>, source::Span span);

  // Declarations of a file.
  void on(For<g::use_begin>, source::Span span);
  void on(For<g::use_file>, source::Span) { use_.file = std::move(word_); }
  void on(For<g::use_module>, source::Span) { use_.module = std::move(path_); }
  void on(For<g::use_alias>, source::Span span);
  void on(For<g::use>, source::Span span);
  void on(For<g::pattern_begin>, source::Span span);
  void on(For<g::pattern_name>, source::Span span);
  void on(For<g::pattern>, source::Span span);
  void on(For<g::labels_begin>, source::Span span);
  void on(For<g::labels_dimension>, source::Span span);
  void on(For<g::labels_base>, source::Span) { labels_.extends = std::move(path_); }
  void on(For<g::labels_open>, source::Span span) { open(Level::labels, span); }
  void on(For<g::labels>, source::Span span);
  void on(For<g::vocabulary_label>, source::Span span);
  void on(For<g::label_title>, source::Span) { entry_.title = std::move(word_); }
  void on(For<g::label_color>, source::Span) { entry_.color = std::move(word_); }
  void on(For<g::label_entry>, source::Span span);
  void on(For<g::table_begin>, source::Span span);
  void on(For<g::table_name>, source::Span) { table_.name = std::move(word_); }
  void on(For<g::table_dimension>, source::Span span);
  void on(For<g::table>, source::Span span);
  void on(For<g::test_begin>, source::Span span);
  void on(For<g::test_engine>, source::Span) { test_.engine = std::move(word_); }
  void on(For<g::test_model>, source::Span) { test_.model = std::move(word_); }
  void on(For<g::test_open>, source::Span span);
  void on(For<g::test>, source::Span span);
  void on(For<g::case_phase_label>, source::Span) { case_.phase = std::move(word_); }
  void on(For<g::case_op_name>, source::Span) { case_.op = std::move(word_); }
  void on(For<g::case_op_arguments>, source::Span) { case_.op_arguments = std::move(arguments_); }
  void on(For<g::case_kind>, source::Span) { case_.kind = operation_; }
  void on(For<g::case_name>, source::Span) { case_.name = std::move(word_); }
  void on(For<g::case_within>, source::Span) { case_.within.push_back(std::move(word_)); }
  void on(For<g::expected_dimension>, source::Span) {
    case_.expected.push_back({std::move(word_), {}});
  }
  void on(For<g::expected_label>, source::Span span);
  void on(For<g::case_next>, source::Span span);
  void on(For<g::test_case>, source::Span span);

  // Predicates of the grammar.
  size_t depth() const { return braces_.size(); }
  size_t misspelled_size(size_t at, std::string_view keyword) const;
  bool is_near(size_t at, std::string_view keyword) const;
  bool at_keyword(size_t at) const;
  bool may_be_name(size_t at) const;
  bool may_be_label(size_t at) const;
  bool may_be_title(size_t at);
  bool may_be_block(size_t at) const;
  bool outdented(size_t at);
  bool side_by_side(size_t at) const;
  bool not_before_operand(size_t at) const;
  bool at_foreign_operand(size_t at);
  bool at_foreign_prefix(size_t at);
  bool at_second_sign(size_t at) const;
  bool sees_labels() const { return over_.has_value() && level() == Level::rules; }
  bool lacks_brace(size_t at) const { return is_repaired(Repair::brace, at); }
  bool lacks_colon(size_t at) const { return is_repaired(Repair::colon, at); }
  bool in_formula_parens() const { return formulas_.in_parens(); }
  bool in_expression_parens() const { return exprs_.in_parens(); }
  bool misplaced(size_t at) const { return is_repaired(Repair::place, at); }
  bool is_image() const { return from_.has_value() && level() == Level::rules && !in_refine(); }

  // Mistakes inside an item.
  size_t expected(size_t at, std::string_view what);
  size_t mistake(For<g::atom>, source::Span seen);
  size_t mistake(For<g::required_version>, source::Span seen);
  size_t mistake(For<g::second_version>, source::Span seen);
  size_t mistake(For<g::missing_operator>, source::Span seen);
  size_t mistake(For<g::not_word>, source::Span seen);
  size_t mistake(For<g::foreign_atom>, source::Span seen);
  size_t mistake(For<g::foreign_word>, source::Span seen);
  size_t mistake(For<g::second_sign>, source::Span seen);
  size_t mistake(For<g::foreign_next>, source::Span seen);
  size_t mistake(For<g::image_separator>, source::Span seen);
  size_t mistake(For<g::foreign_dot>, source::Span seen);
  size_t mistake(For<g::engine_name>, source::Span seen);
  size_t mistake(For<g::model_name>, source::Span seen);
  size_t mistake(For<g::test_engine>, source::Span seen);
  size_t mistake(For<g::labels_dimension>, source::Span seen);
  size_t mistake(For<g::table_for>, source::Span seen);
  size_t mistake(For<g::from_dimension>, source::Span seen);
  size_t mistake(For<g::over_dimension>, source::Span seen);
  size_t mistake(For<g::expected_dimension>, source::Span seen);
  size_t mistake(For<g::colon>, source::Span seen);
  size_t mistake(For<g::equals>, source::Span seen);
  size_t mistake(For<g::arrow>, source::Span seen);
  size_t mistake(For<g::keep>, source::Span seen);
  size_t mistake(For<g::retired_replace>, source::Span seen);
  size_t mistake(For<g::retired_drop>, source::Span seen);
  size_t mistake(For<g::begin_text>, source::Span seen);
  size_t mistake(For<g::operation>, source::Span seen);
  /// `open` is what the brace would have done.
  size_t missing_brace(source::Span seen, Level block,
                       const std::function<void(source::Span)>& open);
  size_t mistake(For<g::rules_close>, source::Span seen) { return unclosed_brace(seen); }
  size_t mistake(For<g::engine_close>, source::Span seen) { return unclosed_brace(seen); }
  size_t mistake(For<g::model_close>, source::Span seen) { return unclosed_brace(seen); }
  size_t mistake(For<g::formula_atom>, source::Span seen);
  size_t mistake(For<g::cost_close>, source::Span seen) { return unclosed_brace(seen); }
  size_t mistake(For<g::labels_close>, source::Span seen) { return unclosed_brace(seen); }
  size_t mistake(For<g::refine_close>, source::Span seen) {
    end_refine(seen);
    return unclosed_brace(seen);
  }
  size_t mistake(For<g::test_close>, source::Span seen) { return unclosed_brace(seen); }
  size_t mistake(For<g::text_end>, source::Span seen);
  size_t mistake(For<g::regex_end>, source::Span seen);
  size_t mistake(For<g::empty_regex>, source::Span seen);
  size_t mistake(For<g::wrong_flag>, source::Span seen);
  size_t mistake(For<g::flag_apart>, source::Span seen);
  size_t mistake(For<g::caret_apart>, source::Span seen);
  size_t mistake(For<g::doubled>, source::Span seen);
  size_t misspelled(source::Span seen, std::string_view keyword);

  // Between items.
  bool stray(size_t& at);
  size_t recover(size_t at, size_t depth);

 private:
  struct Brace {
    Level level;
    source::Span span;
    size_t indent;     // of its line
    size_t inner = 0;  // of what follows it on a later line
  };
  /// How `stray` repaired an item, for the next attempt to parse it.
  enum class Repair : uint8_t { none, keyword, colon, brace, place, label };
  enum class Pending : uint8_t { none, rule, pattern };

  static uint32_t narrow(size_t offset) { return static_cast<uint32_t>(offset); }
  source::Span range(size_t begin, size_t end) const { return {id_, narrow(begin), narrow(end)}; }
  source::Span range(const Token& token) const { return range(token.begin, token.end); }
  bool is_repaired(Repair what, size_t at) const { return repair_ == what && repair_at_ == at; }
  void repair(Repair what, size_t at);
  Level level() const { return braces_.empty() ? Level::file : braces_.back().level; }
  size_t indent_of(size_t at) const;
  void open(Level level, source::Span span);

  /// False if this place was reported before: it is the same mistake.
  bool is_first_report(size_t at);
  [[noreturn]] void abandon(size_t at);
  /// Adds the remedy for unexpected bytes, if they show what was meant.
  void hint(diag::Diagnostic& added, size_t at) const;
  void fix_quotes(diag::Diagnostic& added, size_t at) const;
  void hint_operand(diag::Diagnostic& added, size_t at) const;
  /// Reports a file in another format.
  std::string_view other_format() const;
  diag::Diagnostic& unexpected(const Token& token, std::string_view what);
  bool odd_quotes(size_t begin) const;
  size_t unpaired_quotes(size_t begin);
  bool stray_quote(const Token& token, size_t& at);
  void suggest_quote(diag::Diagnostic& added, size_t begin) const;
  std::optional<ForeignOperand> half_quoted(size_t at) const;
  void forget_operand(source::Span at);
  void join_with_and(diag::Diagnostic& added, const Token& token, std::string_view instead) const;
  // syntax/heads.cpp
  size_t wrong_name(size_t at, std::string_view what, Word& name);
  struct HeadRemedy {
    std::string help;
    std::vector<diag::Edit> edits;
  };
  std::optional<HeadRemedy> head_remedy(Level block, const Token& found, const Token& brace);
  std::optional<HeadRemedy> head_of_test(std::string_view between, source::Span whole);
  std::optional<HeadRemedy> head_of_model(std::string_view between, source::Span whole);
  std::optional<HeadRemedy> head_of_block(std::string_view between, source::Span whole);
  Token brace_on_line(const Token& from) const;
  Word word_in(const std::string& word, source::Span whole) const;
  size_t line_begin(size_t at) const;
  void add_remedy(diag::Diagnostic& added, const Token& token, std::string_view what) const;
  void skipped(size_t begin, size_t end);
  void help_for_operand(diag::Diagnostic& added, const Token& token, char before) const;
  bool is_operand(const Token& token) const;
  size_t unclosed_brace(source::Span seen);
  bool ends_at(const Brace& brace, const Token& token) const;
  ptrdiff_t lacking();
  void report_swapped();
  void report_after_phase();
  bool declares_pattern(std::string_view name) const;
  bool reversed_rule(const Token& token, size_t& at);
  bool conditional_rule(const Token& token, size_t& at);
  bool stray_metadata(const Token& token, size_t& at);
  void check_depth(source::Span span);
  void check_name(const Word& word, std::string_view what);
  Expr placeholder(source::Span span) const;
  std::string unescape(source::Span bytes, source::Span text);
  Doc doc(size_t at) { return trivia_.before(at); }
  void declare(size_t at, bool is_use);
  Doc declare_with_doc(size_t at);
  void prefix(ExprKind kind, source::Span span);
  void begin_rule(RuleKind kind, source::Span span);
  bool in_refine() const { return refine_.has_value(); }
  void end_refine(source::Span span);
  void push_rule(source::Span span);
  void end_case(source::Span span);
  void end_block(source::Span span, std::vector<Block>& blocks);
  // syntax/costs.cpp
  int64_t cost_number(source::Span span);
  Word word_at(source::Span span) const;
  void take_amount(std::optional<CostAmount>& to, std::string_view what);
  void add_argument(CostArgument::Kind kind, source::Span span);
  void add_dimension(ShapeDimension dimension);
  void check_formula(source::Span span);
  Body& body() { return in_model_ ? model_.body : engine_.body; }

  // syntax/recovery.cpp
  bool skip_stray(size_t& at);
  bool is_import(const Token& token) const;
  void stray_token(const Token& token);
  bool remedy_for_stray(diag::Diagnostic& added, const Token& token) const;
  bool remedy_in_file(diag::Diagnostic& added, const Token& token) const;
  bool remedy_in_costs(diag::Diagnostic& added, const Token& token) const;
  bool remedy_in_test(diag::Diagnostic& added, const Token& token) const;
  bool remedy_in_rules(diag::Diagnostic& added, const Token& token) const;
  void stray_outer(const Token& token);
  bool stray_refine(const Token& token, size_t& at);
  bool stray_color(const Token& token, size_t& at);
  bool stray_block(const Token& token, size_t& at);
  size_t past_indented(size_t at) const;
  std::optional<size_t> past_end_word(size_t at) const;
  bool stray_brace(size_t& at);
  bool stray_word(const Token& token, size_t& at);
  bool stray_in_file(const Token& token, size_t& at);
  bool stray_in_body(const Token& token, size_t& at);
  bool stray_in_rules(const Token& token, size_t& at);
  bool stray_in_labels(const Token& token);
  bool stray_misspelled(const Token& token);
  void begin_head(size_t at);
  void check_requirement(const Requirement& requirement);
  size_t wrong_version(size_t begin, size_t at);
  std::vector<Metadata>& metadata();
  void report_misplaced(const Token& token, std::string_view where, std::string_view help);
  bool begins_outer(const Token& token) const;
  bool begins_rule(const Token& token) const;
  bool begins_item(const Token& token) const;
  bool begins_regardless(const Token& token) const;
  bool ends_block(const Token& token) const;
  bool is_block(const Token& token) const;
  bool is_own_keyword(std::string_view word) const;
  size_t past_block(size_t at) const;
  size_t next_item(size_t at) const;
  std::string_view items() const;

  const source::SourceMap& sources_;
  source::FileId id_;
  diag::Sink& sink_;
  std::string_view text_;
  Lookahead look_;
  Trivia trivia_;
  File file_;
  ExprBuilder exprs_;

  Word word_;
  Path path_;
  source::Span bytes_;
  size_t escapes_checked_ = 0;  // strings before this offset have been checked
  Expr atom_;
  source::Span anchor_;
  OperationKind operation_ = OperationKind::kernel;
  ExprId expr_;
  std::optional<ForeignOperand> foreign_;
  std::optional<ForeignPrefix> foreign_prefix_;
  size_t beside_mistake_ = static_cast<size_t>(-1);  // a name here is part of a reported mistake
  bool stray_paren_ = false;
  size_t paren_head_ = static_cast<size_t>(-1);  // a parenthesis that was reported with its head

  Requirement requirement_;
  Metadata metadata_;
  std::vector<Rule> rules_;
  Rule rule_;
  ChainStep step_;
  std::vector<ChainStep> chain_;
  std::optional<Word> over_;
  std::optional<Word> from_;
  std::optional<Rule> refine_;  // the `refine` that is open
  std::vector<Rule> outside_;   // the rules before it
  size_t refine_depth_ = 0;     // of its braces
  source::Span word_mark_;      // of `word` before the next text
  std::vector<Word> phases_;    // of `phase`
  Block block_;
  Pattern pattern_;
  Use use_;
  Labels labels_;
  LabelDecl entry_;
  Table table_;
  Engine engine_;
  Model model_;
  Abbreviation abbreviation_;

  FormulaBuilder formulas_;
  FormulaId formula_;  // the last one read; invalid: `unknown`
  source::Span amount_span_;
  CostBlock cost_;
  CostClause clause_;
  std::vector<CostClause> clauses_;
  std::vector<CostArgument> arguments_;
  std::vector<ShapeDimension> shape_;
  bool rest_ = false;  // `..` is before the next dimension
  std::vector<int64_t> list_;
  std::vector<CostValue> values_;
  Word value_name_;
  std::optional<Word> case_type_;

  Test test_;
  TestCase case_;
  std::vector<TestCase> cases_;  // of one line, before case_
  bool in_model_ = false;
  bool in_engine_ = false;
  bool declared_ = false;
  size_t head_end_ = 0;  // of the requirements and metadata so far

  std::vector<Brace> braces_;
  std::optional<ptrdiff_t> lacking_;  // closing braces that are missing from here on
  std::vector<Rule> swapped_;         // `otherwise: misc`
  std::vector<std::pair<source::Span, source::Span>> after_phase_;  // `phase a | b`: the two
  Pending pending_ = Pending::none;
  Repair repair_ = Repair::none;
  size_t repair_at_ = 0;
  std::string_view repair_keyword_;
  size_t repair_size_ = 0;
  size_t reported_at_ = static_cast<size_t>(-1);
  bool end_reported_ = false;
  bool broken_bytes_ = false;
  source::Span closed_engine_;    // the brace that closed the last engine
  bool after_misplaced_ = false;  // items after a misplaced item of a file are not reported again
};

}  // namespace kr::syntax
