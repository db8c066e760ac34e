// The state of one parse: what the grammar's rules do (syntax/parse.cpp binds them), the AST being
// built, what is said of mistakes, and where parsing goes on after one.
//
// Methods that take a Span and return an offset report a mistake: the span is what was seen (empty
// where something is missing), the offset is where to go on. Giving an item up is throwing
// Abandoned.
#pragma once

#include <string_view>
#include <vector>

#include "diag/diagnostic.hpp"
#include "syntax/ast.hpp"
#include "syntax/expr_builder.hpp"
#include "syntax/lookahead.hpp"
#include "syntax/trivia.hpp"

namespace kr::syntax {

/// What stands between two braces, or outside all.
enum class Level : uint8_t { file, engine, model, rules, labels, test };

class Builder {
 public:
  /// Thrown where an item is given up; parsing goes on somewhere after `at`.
  struct Abandoned {
    size_t at;
  };

  Builder(const SourceMap& sources, FileId file, Sink& sink);

  Span span(const char* begin, const char* end) const;
  Span seen(size_t begin, size_t end) const { return range(begin, end); }
  File take();
  /// Set where the text is not UTF-8, which was said: bytes beyond ASCII are not reported again.
  void ignore_broken_bytes() { broken_bytes_ = true; }

  // Words, strings, paths: into word_ and path_, for what is named after them.
  void comment(Span span) { trivia_.add(span.begin, span.end); }
  void word(Span span);
  void text_bytes(Span span) { bytes_ = span; }
  void string(Span span);
  void path_head(Span span);
  void path_part(Span span);

  // Expressions.
  void expression_begin(Span span);
  void expression(Span span);
  void begin_anchor(Span span);
  void bare_text(Span span);
  void begin_text(Span span);
  void ignore_case(Span span);
  void end_anchor(Span span);
  void text_atom(Span span);
  void regex_bytes(Span span) { bytes_ = span; }
  void regex(Span span);
  void regex_atom(Span span);
  void operation(Span span);
  void operation_atom(Span span);
  void otherwise_atom(Span span);
  void name_atom(Span span);
  void open_paren(Span span);
  void close_paren(Span span);
  void negation(Span span);
  void within(Span span);
  void or_operator(Span span);

  // Rules and their blocks.
  void rule_head(Span span);
  void rule(Span span);
  void replace_begin(Span span);
  void drop_begin(Span span);
  void include_begin(Span span);
  void keep_begin(Span span);
  void rule_label(Span span);
  void include_table(Span span);
  void rules_open(Span span);
  void close(Span span);
  void phases_begin(Span span);
  void phases(Span span);
  void block_begin(Span span);
  void block(Span span);

  // Engines and models.
  void engine_begin(Span span);
  void engine_name(Span span);
  void engine_title(Span span);
  void engine_open(Span span);
  void engine(Span span);
  void model_begin(Span span);
  void model_name(Span span);
  void model_title(Span span);
  void model_base(Span span);
  void model_open(Span span);
  void model(Span span);
  void fold_item(Span span);
  void abbreviated(Span span);
  void abbreviation(Span span);
  void detect(Span span);

  // Declarations of a file.
  void use_begin(Span span);
  void use_file(Span span);
  void use_module(Span span);
  void use_alias(Span span);
  void use(Span span);
  void pattern_begin(Span span);
  void pattern_name(Span span);
  void pattern(Span span);
  void labels_begin(Span span);
  void labels_dimension(Span span);
  void labels_base(Span span);
  void labels_open(Span span);
  void labels(Span span);
  void vocabulary_label(Span span);
  void label_title(Span span);
  void label_color(Span span);
  void label_entry(Span span);
  void table_begin(Span span);
  void table_name(Span span);
  void table_dimension(Span span);
  void table(Span span);
  void test_begin(Span span);
  void test_engine(Span span);
  void test_model(Span span);
  void test_open(Span span);
  void test(Span span);
  void case_kind(Span span);
  void case_name(Span span);
  void case_within(Span span);
  void expected_dimension(Span span);
  void expected_label(Span span);
  void test_case(Span span);

  // What the grammar asks.
  size_t depth() const { return braces_.size(); }
  size_t meant(size_t at, std::string_view keyword) const;
  bool is_near(size_t at, std::string_view keyword) const;
  bool at_keyword(size_t at) const;
  bool may_be_name(size_t at) const;
  bool may_be_label(size_t at) const;
  bool side_by_side(size_t at) const;
  bool worded_negation(size_t at) const;
  bool lacks_brace(size_t at) const { return amended(Amendment::brace, at); }
  bool lacks_colon(size_t at) const { return amended(Amendment::colon, at); }
  bool misplaced(size_t at) const { return amended(Amendment::place, at); }

  // Mistakes inside an item.
  size_t expected(size_t at, std::string_view what);
  size_t missing_atom(Span seen);
  size_t missing_operator(Span seen);
  size_t not_word(Span seen);
  size_t missing_colon(Span seen);
  size_t missing_equals(Span seen);
  size_t missing_arrow(Span seen);
  size_t missing_keep(Span seen);
  size_t missing_drop_label(Span seen);
  size_t missing_text(Span seen);
  size_t missing_operation(Span seen);
  size_t missing_brace(Span seen, void (Builder::*open)(Span));
  size_t unclosed_brace(Span seen);
  size_t unterminated_text(Span seen);
  size_t unterminated_regex(Span seen);
  size_t empty_regex(Span seen);
  size_t wrong_flag(Span seen);
  size_t flag_apart(Span seen);
  size_t caret_apart(Span seen);
  size_t doubled_operator(Span seen);
  size_t misspelt(Span seen, std::string_view keyword);

  // Between items.
  bool stray(size_t& at);
  size_t recover(size_t at, size_t depth);

 private:
  struct Brace {
    Level level;
    Span span;
    size_t indent;  // of the line it stands on
  };
  /// What `stray` found out about an item, for the next attempt to read it.
  enum class Amendment : uint8_t { none, keyword, colon, brace, place, label };
  enum class Pending : uint8_t { none, rule, pattern };

  static uint32_t narrow(size_t offset) { return static_cast<uint32_t>(offset); }
  Span range(size_t begin, size_t end) const { return {id_, narrow(begin), narrow(end)}; }
  Span range(const Token& token) const { return range(token.begin, token.end); }
  bool amended(Amendment what, size_t at) const { return amendment_ == what && amended_at_ == at; }
  void amend(Amendment what, size_t at);
  Level level() const { return braces_.empty() ? Level::file : braces_.back().level; }
  size_t indent_of(size_t at) const;
  void open(Level level, Span span);

  /// False where this place was reported already: what is met there is the same mistake.
  bool fresh(size_t at);
  [[noreturn]] void abandon(size_t at);
  /// What helps where these bytes stand in place of something else; may be empty.
  std::string_view hint(size_t at) const;
  Diagnostic& unexpected(const Token& token, std::string_view what);
  bool odd_quotes(size_t begin) const;
  size_t unpaired_quotes(size_t begin);
  bool is_operand(const Token& token) const;
  void check_depth(Span span);
  void check_name(const Word& word, std::string_view what);
  Expr unread(Span span) const;
  std::string unescape(Span bytes, Span text);
  Doc doc(size_t at);
  void declare(size_t at, bool is_use);
  void begin_rule(RuleKind kind, Span span);
  void push_rule(Span span);
  Body& body() { return in_model_ ? model_.body : engine_.body; }

  // syntax/recovery.cpp
  void stray_token(const Token& token);
  bool stray_brace(size_t& at);
  bool stray_word(const Token& token, size_t& at);
  bool stray_in_file(const Token& token, size_t& at);
  bool stray_in_body(const Token& token, size_t& at);
  bool stray_in_rules(const Token& token, size_t& at);
  bool stray_in_labels(const Token& token, size_t& at);
  bool stray_misspelt(const Token& token);
  void report_misplaced(const Token& token, std::string_view where, std::string_view help);
  bool begins_outer(const Token& token) const;
  bool begins_rule(const Token& token) const;
  bool begins_item(const Token& token) const;
  bool begins_afresh(const Token& token) const;
  bool ends_block(const Token& token) const;
  bool is_block(const Token& token) const;
  size_t past_block(size_t at) const;
  size_t next_item(size_t at) const;
  std::string_view items() const;

  const SourceMap& sources_;
  FileId id_;
  Sink& sink_;
  std::string_view text_;
  Lookahead look_;
  Trivia trivia_;
  File file_;
  ExprBuilder exprs_;

  Word word_;
  Path path_;
  Span bytes_;
  size_t escapes_checked_ = 0;  // strings before this offset were looked at
  Expr atom_;
  Span anchor_;
  OperationKind operation_ = OperationKind::kernel;
  ExprId expr_;
  bool stray_paren_ = false;

  std::vector<Rule> rules_;
  Rule rule_;
  Block block_;
  Pattern pattern_;
  Use use_;
  Labels labels_;
  LabelDecl entry_;
  Table table_;
  Engine engine_;
  Model model_;
  Abbreviation abbreviation_;
  Detect detect_;
  Test test_;
  TestCase case_;
  bool in_model_ = false;
  bool in_engine_ = false;
  bool declared_ = false;

  std::vector<Brace> braces_;
  Pending pending_ = Pending::none;
  Amendment amendment_ = Amendment::none;
  size_t amended_at_ = 0;
  std::string_view amended_keyword_;
  size_t amended_size_ = 0;
  size_t reported_at_ = static_cast<size_t>(-1);
  bool end_reported_ = false;
  bool broken_bytes_ = false;
  Span closed_engine_;            // the brace that closed the last engine
  bool after_misplaced_ = false;  // what follows a misplaced item of a file is not reported again
};

}  // namespace kr::syntax
