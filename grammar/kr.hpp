// The grammar of rules files. It tracks offsets, not lines. Every rule that creates a part of the
// AST has its own name, for the actions of syntax/parse.cpp.
//
// The grammar does not recurse: an expression is a flat sequence of prefixes, atoms, closing
// parentheses and operators. The state (syntax/builder.hpp) nests them. So a deeply nested text
// cannot overflow the stack of the process.
#pragma once

#include "grammar/words.hpp"

namespace kr::syntax::grammar {

/// Where the indentation shows that the block has ended, though its brace is missing.
inline constexpr auto outdented = [](auto& state, size_t at) { return state.outdented(at); };
struct inside : p::not_at<when<outdented>> {};

// Expressions.

struct caret : p::one<'^'> {};
struct caret_apart : p::seq<same_line, p::at<p::one<'"'>>> {};
struct ignore_case : p::seq<p::one<'i'>, p::not_at<word_byte>> {};
struct end_anchor : p::one<'$'> {};
struct wrong_flag : p::plus<word_byte> {};
struct flag_apart
    : p::seq<same_line,
             p::sor<p::one<'$'>, p::seq<p::one<'i'>, p::not_at<p::sor<word_byte, p::one<'.'>>>,
                                        p::not_at<block_next>>>> {};
struct flags : p::star<p::sor<ignore_case, end_anchor, mistake<wrong_flag>, mistake<flag_apart>>> {
};

/// `word "x"`: bounded on both sides.
struct word_mark : p::seq<k_word, gap, p::at<p::one<'"'>>> {};
struct bare_text : p::seq<string> {};
struct begin_text : p::seq<string> {};
struct text_atom : p::sor<p::seq<p::opt<word_mark>, bare_text, flags, p::not_at<colon_next>>,
                          p::seq<caret, p::opt<mistake<caret_apart>>, need<begin_text>, flags>> {};

struct regex_bytes
    : p::star<p::sor<p::not_one<'/', '\\', '\n'>, p::seq<p::one<'\\'>, p::not_one<'\n'>>>> {};
struct regex_end : p::one<'/'> {};
struct regex : p::seq<p::one<'/'>, regex_bytes, need<regex_end>> {};
struct empty_regex : p::seq<p::one<'/'>, p::one<'/'>> {};
struct regex_atom : p::sor<mistake<empty_regex>, p::seq<regex, flags>> {};

struct operation : p::seq<word> {};
struct operation_atom : p::seq<p::one<'@'>, need<operation>> {};

struct otherwise_atom : p::seq<k_otherwise, p::not_at<block_next>> {};

/// A keyword at the start of a line begins the next item; it is not the missing name.
inline constexpr auto may_be_name = [](auto& state, size_t at) { return state.may_be_name(at); };
struct name : p::seq<when<may_be_name>, word> {};
struct name_atom : p::seq<p::at<word_head>, when<may_be_name>, path, p::not_at<block_next>> {};

/// The words `op`, `own` and `phase` came later than files that may use them as names: they are
/// operators only before an operand.
struct operand_head : p::sor<p::one<'/', '(', '!', '^', '@'>, p::seq<string, p::not_at<colon_next>>,
                             p::seq<when<may_be_name>, path, p::not_at<block_next>>> {};
struct operator_end : p::at<gap, operand_head> {};

/// `op "aten::mm" ([_, K])`: a name, or several in parentheses, and what the arguments must be.
struct cost_arguments;
struct open_paren;
struct close_paren;
struct or_operator;
struct op_head : p::sor<p::one<'/', '(', '^'>, p::seq<string, p::not_at<colon_next>>,
                        p::seq<when<may_be_name>, path, p::not_at<block_next>>> {};
struct op_mark : p::seq<k_op, p::at<gap, op_head>> {};
struct op_name : p::sor<text_atom, regex_atom, name_atom> {};
struct op_names
    : p::sor<p::seq<open_paren, gap, need<op_name>, p::star<gap, or_operator, gap, need<op_name>>,
                    gap, need<close_paren>>,
             op_name> {};
struct op_arguments : p::seq<p::at<p::one<'('>>, cost_arguments> {};
struct op_atom : p::seq<op_mark, gap, op_names, p::opt<gap, op_arguments>> {};

struct label : p::sor<word, string> {};
/// `phase prefill`, `phase (prefill | mixed)`.
struct phase_mark : p::seq<k_phase, p::at<gap, p::sor<p::one<'('>, word_head>>> {};
struct phase_name : p::seq<label> {};
struct phase_open : p::one<'('> {};
struct phase_close : p::one<')'> {};
struct phase_names : p::seq<need<phase_name>, p::star<gap, p::one<'|'>, gap, need<phase_name>>> {};
struct phase_atom : p::seq<phase_mark, gap,
                           p::sor<p::seq<phase_open, gap, phase_names, gap, need<phase_close>>,
                                  p::seq<when<may_be_name>, phase_name, p::not_at<block_next>>>> {};

/// An operand, or a word before one, in the spelling of another language.
inline constexpr auto at_foreign_operand = [](auto& state, size_t at) {
  return state.at_foreign_operand(at);
};
inline constexpr auto at_foreign_prefix = [](auto& state, size_t at) {
  return state.at_foreign_prefix(at);
};
struct foreign_atom : p::seq<when<at_foreign_operand>, p::any> {};
struct foreign_word : p::seq<when<at_foreign_prefix>, p::any> {};

struct atom : p::sor<text_atom, regex_atom, operation_atom, otherwise_atom, op_atom, phase_atom,
                     mistake<foreign_atom>, name_atom> {};

struct open_paren : p::one<'('> {};
struct close_paren : p::one<')'> {};
struct negation : p::one<'!'> {};
struct within_op : p::seq<k_within, gap, k_op, operator_end> {};
struct within : p::seq<k_within, p::not_at<block_next>> {};
struct own : p::seq<k_own, operator_end> {};
/// `not` before an operand, which should be `!`.
inline constexpr auto not_before_operand = [](auto& state, size_t at) {
  return state.not_before_operand(at);
};
struct not_word : p::seq<when<not_before_operand>, p::string<'n', 'o', 't'>> {};
/// The second sign of `a := "x"` and `a:: "x"`.
inline constexpr auto at_second_sign = [](auto& state, size_t at) {
  return state.at_second_sign(at);
};
struct second_sign : p::seq<when<at_second_sign>, p::any> {};
struct prefix : p::sor<open_paren, negation, within_op, within, own, mistake<not_word>,
                       mistake<foreign_word>, mistake<second_sign>> {};
struct operand : p::seq<p::star<prefix, gap>, need<atom>, p::star<gap, close_paren>> {};

struct or_operator : p::one<'|'> {};
struct and_operator : p::one<'&'> {};
struct doubled : p::one<'|', '&'> {};
inline constexpr auto side_by_side = [](auto& state, size_t at) { return state.side_by_side(at); };
struct missing_operator : when<side_by_side> {};
/// The operand after a missing operator.
struct late_operand
    : p::seq<p::sor<p::seq<p::plus<prefix, gap>, need<atom>>, atom>, p::star<gap, close_paren>> {};

struct binary_operator : p::seq<p::sor<or_operator, and_operator>, p::opt<mistake<doubled>>> {};
struct more : p::sor<p::seq<binary_operator, gap, operand>,
                     p::seq<mistake<missing_operator>, gap, late_operand>> {};

struct expression_begin : p::success {};
struct expression : p::seq<expression_begin, operand, p::star<gap, more>> {};

// Rules.

struct rule_head : p::seq<label, colon_next> {};

// The chain of an order rule: steps joined by `>`, one or more of them in brackets.
struct bracket_open : p::seq<p::not_at<when<at_foreign_operand>>, p::one<'['>> {};
struct bracket_close : p::one<']'> {};
struct quantifier : p::one<'?', '*', '+'> {};
struct chain_step : p::seq<p::opt<bracket_open, gap>, expression, p::opt<gap, quantifier>,
                           p::opt<gap, bracket_close>> {};
/// What others write for `>`.
inline constexpr auto sees_labels = [](auto& state, size_t) { return state.sees_labels(); };
struct foreign_next
    : p::seq<when<sees_labels>, p::sor<p::string<'-', '>'>, p::string<'=', '>'>,
                                       p::seq<p::string<'t', 'h', 'e', 'n'>, p::not_at<word_byte>>,
                                       p::seq<p::one<','>, p::at<same_line, p::one<'['>>>>> {};
struct chain_next : p::sor<p::seq<p::one<'>'>, p::not_at<p::one<'='>>>, mistake<foreign_next>> {};
struct chain : p::seq<chain_step, p::star<gap, chain_next, gap, chain_step>> {};

struct labelled_rule : p::seq<rule_head, gap, chain> {};

/// A rule without its colon, found by `stray`.
inline constexpr auto lacks_colon = [](auto& state, size_t at) { return state.lacks_colon(at); };
struct title_of_rule : p::seq<p::one<'"'>, text_bytes, p::one<'"'>, gap, p::one<':'>> {};
struct instead_of_colon : p::sor<p::string<'=', '>'>, p::string<'-', '>'>, p::string<'=', '='>,
                                 p::one<'='>, title_of_rule> {};
struct colonless_head : p::seq<when<lacks_colon>, label, p::opt<gap, instead_of_colon>> {};
struct colonless_rule : p::seq<colonless_head, gap, chain> {};

struct colon : p::one<':'> {};

/// `refine gemm { … }`: labels for some of what has the label.
struct refine_begin : p::seq<k_refine, p::at<gap, label, gap, p::one<'{'>>> {};
struct refine_label : p::seq<label> {};
struct refine_open : p::one<'{'> {};
struct refine_close : p::seq<inside, p::one<'}'>> {};
struct refined_rule : p::seq<labelled_rule> {};
struct refined_rules : p::star<inside, p::sor<guarded<refined_rule>, stray>, gap> {};
struct refine_rule : p::seq<refine_begin, gap, refine_label, gap, refine_open, gap, refined_rules,
                            need<refine_close>> {};

/// In a block with `from`: `attention: attention rope`.
inline constexpr auto is_image = [](auto& state, size_t) { return state.is_image(); };
struct image_label : p::seq<when<may_be_name>, label, p::not_at<block_next>> {};
struct image_head : p::seq<when<is_image>, rule_head, gap, p::not_at<k_otherwise>> {};
struct image_separator : p::seq<p::one<',', '|'>, p::at<gap, image_label>> {};
struct image_rule : p::seq<image_head, need<image_label>,
                           p::star<gap, p::opt<mistake<image_separator>, gap>, image_label>> {};

/// `replace` and `drop` were part of the language.
struct retired_replace : p::seq<k_replace, p::at<gap, rule_head>> {};
struct retired_drop : p::seq<k_drop, gap, label, p::not_at<colon_next>> {};
struct retired_edit : p::sor<mistake<retired_drop>, mistake<retired_replace>> {};

struct include_begin : p::seq<k_include> {};
struct include_table : p::seq<when<may_be_name>, path, p::not_at<block_next>> {};
struct include_rule : p::seq<include_begin, gap, need<include_table>> {};

/// What chains pass over, and what takes the label of the operation before it.
struct ignore_begin : p::seq<k_ignore> {};
struct continue_begin : p::seq<k_continue> {};
struct passed_rule : p::seq<p::sor<ignore_begin, continue_begin>, gap, expression> {};

struct keep_begin : p::seq<k_otherwise> {};
struct keep : p::seq<or_misspelled<k_keep>> {};
struct keep_rule : p::seq<keep_begin, gap, need<keep>> {};

struct rule : p::sor<image_rule, labelled_rule, refine_rule, include_rule, passed_rule, keep_rule,
                     colonless_rule> {};
struct rules : p::star<inside, p::sor<guarded<rule>, retired_edit, stray>, gap> {};
struct rules_open : p::one<'{'> {};
struct rules_close : p::seq<inside, p::one<'}'>> {};
struct rules_block : p::seq<need<rules_open>, gap, rules, need<rules_close>> {};

/// `over substage`: the dimension whose labels are words in what follows.
struct over_dimension : p::seq<name> {};
struct over : p::seq<k_over, gap, need<over_dimension>> {};
/// `from substage`: its labels are made of those of the other dimension.
struct from_dimension : p::seq<name> {};
struct from : p::seq<k_from, gap, need<from_dimension>> {};
struct other_dimension : p::sor<over, from> {};

// What a file requires of kr, and what is known about rules. These words stay usable as names: a
// text follows the metadata's.

struct requirement_begin : p::seq<k_requires> {};
struct required_program : p::seq<k_kr> {};
struct at_least : p::string<'>', '='> {};
struct version
    : p::seq<p::plus<p::digit>, p::one<'.'>, p::plus<p::digit>,
             p::opt<p::one<'.'>, p::plus<p::digit>>, p::not_at<p::sor<word_byte, p::one<'.'>>>> {};
struct required_version : p::seq<p::opt<at_least, gap>, version> {};
/// `, < 1` after a version.
struct second_version : p::seq<p::star<p::one<' ', '\t'>>, p::opt<p::one<','>>,
                               p::star<p::one<' ', '\t'>>, p::one<'<', '>', '=', '!'>> {};
struct requirement : p::seq<requirement_begin, gap, need<required_program>, gap,
                            need<required_version>, p::opt<mistake<second_version>>> {};

struct metadata_word : p::sor<k_author, k_since, k_link> {};
struct metadata_begin : p::seq<metadata_word, p::not_at<block_next>> {};
struct metadata_text : p::seq<string> {};
struct metadata : p::seq<metadata_begin, gap, need<metadata_text>> {};
/// Between rules, where the words may be labels.
struct table_metadata : p::seq<p::at<metadata_word, gap, string, p::not_at<colon_next>>, metadata> {
};

// Costs of ops. A formula is a flat sequence, as an expression is.

struct identifier_byte : p::ranges<'a', 'z', 'A', 'Z', '0', '9', '_', '_'> {};
struct identifier_end : p::not_at<identifier_byte> {};
struct cost_number : p::seq<p::plus<p::digit>, identifier_end> {};
struct cost_word : p::seq<p::ranges<'a', 'z', 'A', 'Z', '_', '_'>, p::star<identifier_byte>> {};
struct cost_any : p::seq<p::one<'_'>, identifier_end> {};
struct cost_comma : p::one<','> {};

struct formula_number : p::seq<cost_number> {};
/// Without a gap: after one, a parenthesis begins the next clause.
struct formula_call : p::seq<cost_word, p::one<'('>> {};
struct formula_name : p::seq<cost_word> {};
struct formula_open : p::one<'('> {};
struct formula_close : p::one<')'> {};
struct index_open : p::one<'['> {};
struct index_number : p::seq<cost_number> {};
struct index_close : p::one<']'> {};
struct formula_index : p::seq<index_open, gap, need<index_number>, gap, need<index_close>> {};
inline constexpr auto in_formula_parens = [](auto& state, size_t) {
  return state.in_formula_parens();
};
struct formula_atom : p::sor<formula_number, formula_name> {};
struct formula_prefix : p::sor<formula_call, formula_open> {};
struct formula_suffix : p::sor<formula_index, p::seq<when<in_formula_parens>, formula_close>> {};
struct formula_operand
    : p::seq<p::star<formula_prefix, gap>, need<formula_atom>, p::star<gap, formula_suffix>> {};
struct formula_operator : p::one<'+', '-', '*', '/'> {};
struct formula_comma : p::seq<when<in_formula_parens>, p::one<','>> {};
struct formula_begin : p::success {};
struct formula
    : p::seq<formula_begin, formula_operand,
             p::star<gap, p::sor<formula_operator, formula_comma>, gap, formula_operand>> {};

struct shape_open : p::one<'['> {};
struct shape_close : p::one<']'> {};
struct shape_rest : p::string<'.', '.'> {};
struct shape_any : p::seq<cost_any> {};
struct shape_number : p::seq<cost_number> {};
struct shape_name : p::seq<cost_word> {};
struct shape_dimension
    : p::seq<p::opt<shape_rest, gap>, p::sor<shape_any, shape_number, shape_name>> {};
struct shape_list
    : p::seq<need<shape_dimension>, p::star<gap, cost_comma, gap, need<shape_dimension>>> {};
struct shape_tensor
    : p::seq<shape_open, gap, p::sor<p::at<p::one<']'>>, shape_list>, gap, need<shape_close>> {};
struct argument_type : p::seq<cost_word> {};
struct argument_any : p::seq<cost_any> {};
struct argument_number : p::seq<cost_number> {};
struct argument_word : p::seq<cost_word> {};
struct list_open : p::one<'('> {};
struct list_close : p::one<')'> {};
struct list_number : p::seq<cost_number> {};
struct argument_list : p::seq<list_open, gap, p::list<list_number, p::seq<gap, cost_comma, gap>>,
                              gap, need<list_close>> {};
struct cost_argument : p::sor<p::seq<shape_tensor, p::opt<gap, argument_type>>, argument_list,
                              argument_any, argument_number, argument_word> {};
struct arguments_open : p::one<'('> {};
struct arguments_close : p::one<')'> {};
struct argument_items
    : p::seq<need<cost_argument>, p::star<gap, cost_comma, gap, need<cost_argument>>> {};
struct cost_arguments : p::seq<arguments_open, gap, p::sor<p::at<p::one<')'>>, argument_items>, gap,
                               need<arguments_close>> {};

struct value_name : p::seq<cost_word> {};
struct value_equals : p::one<'='> {};
struct cost_value : p::seq<value_name, gap, need<value_equals>, gap, formula> {};
struct cost_values
    : p::seq<or_misspelled<k_with>, gap, cost_value, p::star<gap, cost_comma, gap, cost_value>> {};

struct cost_text : p::seq<string, p::not_at<p::one<'i', '$'>>> {};
inline constexpr auto in_expression_parens = [](auto& state, size_t) {
  return state.in_expression_parens();
};
/// In parentheses. What follows the last of them is not part of it.
struct cost_expression : p::seq<p::at<p::one<'('>>, expression_begin, open_paren, gap, operand,
                                p::star<gap, when<in_expression_parens>, more>> {};
struct clause_begin : p::success {};
struct clause_name : p::sor<cost_text, cost_expression> {};
struct clause_colon : p::one<':'> {};
struct unknown_amount : p::seq<p::string<'u', 'n', 'k', 'n', 'o', 'w', 'n'>, identifier_end> {};
struct cost_amount : p::sor<unknown_amount, formula> {};
struct flops_amount : p::seq<cost_amount> {};
struct cost_type : p::seq<cost_word> {};
struct flops_part : p::seq<k_flops, gap, flops_amount, p::opt<gap, k_as, gap, need<cost_type>>> {};
struct bytes_amount : p::seq<cost_amount> {};
struct bytes_part : p::seq<k_bytes, gap, bytes_amount> {};
struct amount_part : p::sor<flops_part, bytes_part> {};
struct cost_clause : p::seq<clause_begin, clause_name, p::opt<gap, cost_arguments>,
                            p::opt<gap, cost_values>, gap, need<clause_colon>, gap,
                            need<amount_part>, p::star<gap, p::opt<cost_comma, gap>, amount_part>> {
};
struct cost_include : p::seq<include_begin, gap, need<include_table>> {};
struct cost_item : p::sor<cost_include, cost_clause> {};
struct cost_begin : p::seq<k_cost, p::at<gap, p::sor<p::one<'{'>, word_head>>> {};
struct cost_name : p::seq<when<may_be_name>, word> {};
struct cost_open : p::one<'{'> {};
struct cost_close : p::seq<inside, p::one<'}'>> {};
struct cost_items : p::star<inside, p::sor<guarded<cost_item>, stray>, gap> {};
struct cost_block : p::seq<cost_begin, p::opt<gap, cost_name>, gap, need<cost_open>, gap,
                           cost_items, need<cost_close>> {};

// Bodies of engines and models.

struct phases_begin : p::seq<k_phases> {};
struct phases_block : p::seq<phases_begin, gap, rules_block> {};

/// A block without its opening brace, found by `stray`.
inline constexpr auto lacks_brace = [](auto& state, size_t at) { return state.lacks_brace(at); };
inline constexpr auto may_be_block = [](auto& state, size_t at) { return state.may_be_block(at); };
struct block_begin
    : p::sor<
          p::seq<when<lacks_brace>, word>,
          p::seq<when<may_be_block>, word,
                 p::at<gap, p::sor<p::one<'{'>, p::seq<p::sor<k_over, k_from>, gap, word_head>>>>> {
};
struct dimension_block : p::seq<block_begin, p::opt<gap, other_dimension>, gap, rules_block> {};

struct comma : p::seq<gap, p::one<','>, gap> {};

struct fold_item : p::seq<expression> {};
struct fold : p::seq<k_fold, gap, fold_item, p::star<comma, fold_item>> {};

struct abbreviated : p::seq<string> {};
struct abbreviation_as : p::seq<or_misspelled<k_as>> {};
struct abbreviation_text : p::seq<string> {};
struct abbreviation
    : p::seq<need<abbreviated>, gap, need<abbreviation_as>, gap, need<abbreviation_text>> {};
struct abbreviate : p::seq<k_abbreviate, gap, abbreviation, p::star<comma, abbreviation>> {};

struct detect : p::seq<k_detect, gap, need<colon>, gap, expression> {};

/// A declaration in the wrong place, found by `stray`. It is parsed anyway.
inline constexpr auto misplaced = [](auto& state, size_t at) { return state.misplaced(at); };

struct use;
struct pattern;
struct labels;
struct table;
struct test;
struct model;

struct body_item
    : p::sor<detect, phases_block, cost_block, fold, abbreviate, metadata, model, dimension_block> {
};
struct model_item
    : p::sor<detect, phases_block, cost_block, fold, abbreviate, metadata, dimension_block> {};
struct misplaced_in_body
    : p::seq<when<misplaced>, p::sor<use, pattern, labels, table, test, requirement>> {};

struct model_begin : p::seq<k_model> {};
struct model_name : p::seq<p::not_at<k_extends>, name> {};
struct model_title : p::seq<string> {};
struct model_base : p::seq<when<may_be_name>, path> {};
struct model_open : p::one<'{'> {};
struct model_close : p::seq<inside, p::one<'}'>> {};
struct model_items
    : p::star<inside, p::sor<guarded<model_item>, guarded<misplaced_in_body>, stray>, gap> {};
struct model : p::seq<model_begin, gap, need<model_name>, p::opt<gap, model_title>,
                      p::opt<gap, or_misspelled<k_extends>, gap, need<model_base>>, gap,
                      need<model_open>, gap, model_items, need<model_close>> {};

struct engine_begin : p::seq<k_engine> {};
struct engine_name : p::seq<name> {};
struct engine_title : p::seq<string> {};
struct engine_open : p::one<'{'> {};
struct engine_close : p::seq<inside, p::one<'}'>> {};
struct engine_items
    : p::star<inside, p::sor<guarded<body_item>, guarded<misplaced_in_body>, stray>, gap> {};
struct engine : p::seq<engine_begin, gap, need<engine_name>, p::opt<gap, engine_title>, gap,
                       need<engine_open>, gap, engine_items, need<engine_close>> {};

// Declarations.

struct use_begin : p::seq<k_use> {};
struct use_file : p::seq<string> {};
/// `std/llm`, `std::llm`.
struct foreign_dot : p::seq<p::sor<p::one<'/'>, p::string<':', ':'>>, p::at<word_head>> {};
struct use_module : p::seq<when<may_be_name>, path, p::star<mistake<foreign_dot>, path_part>> {};
struct used : p::sor<use_file, use_module> {};
struct use_alias : p::seq<name> {};
struct use
    : p::seq<use_begin, gap, need<used>, p::opt<gap, or_misspelled<k_as>, gap, need<use_alias>>> {};

struct pattern_begin : p::seq<k_pattern> {};
struct pattern_name : p::seq<name> {};
struct equals : p::one<'='> {};
struct pattern : p::seq<pattern_begin, gap, need<pattern_name>, p::opt<gap, over>, gap,
                        need<equals>, gap, expression> {};

inline constexpr auto may_be_label = [](auto& state, size_t at) { return state.may_be_label(at); };
struct vocabulary_label : p::seq<when<may_be_label>, label> {};
struct label_title : p::seq<string> {};
struct label_color : p::seq<string> {};
/// A string on a later line may be meant as the title, or as the next label.
inline constexpr auto may_be_title = [](auto& state, size_t at) { return state.may_be_title(at); };
struct label_entry : p::seq<vocabulary_label, p::opt<gap, when<may_be_title>, label_title>,
                            p::opt<gap, k_color, p::not_at<colon_next>, gap, need<label_color>>> {};
struct labels_begin : p::seq<k_labels> {};
struct labels_dimension : p::seq<p::not_at<k_extends>, p::not_at<k_for, gap, word>, name> {};
struct labels_base : p::seq<when<may_be_name>, path> {};
struct labels_open : p::one<'{'> {};
struct labels_close : p::seq<inside, p::one<'}'>> {};
struct label_entries : p::star<inside, p::sor<guarded<label_entry>, stray>, gap> {};
struct labels : p::seq<labels_begin, gap, need<labels_dimension>,
                       p::opt<gap, or_misspelled<k_extends>, gap, need<labels_base>>, gap,
                       need<labels_open>, gap, label_entries, need<labels_close>> {};

struct table_begin : p::seq<k_table> {};
struct table_name : p::seq<p::not_at<k_for>, name> {};
struct table_for : p::seq<or_misspelled<k_for>> {};
struct table_dimension : p::seq<name> {};
struct table_items
    : p::star<inside, p::sor<guarded<table_metadata>, guarded<rule>, retired_edit, stray>, gap> {};
struct table : p::seq<table_begin, gap, need<table_name>, gap, need<table_for>, gap,
                      need<table_dimension>, p::opt<gap, other_dimension>, gap, need<rules_open>,
                      gap, table_items, need<rules_close>> {};

struct case_kind : p::seq<p::one<'@'>, need<operation>> {};
struct case_name : p::seq<string> {};
struct case_within : p::seq<string> {};
struct arrow : p::string<'=', '>'> {};
struct expected_dimension : p::seq<word> {};
struct expected_label : p::seq<label, p::not_at<gap, p::sor<arrow, k_within>>> {};
struct expectation : p::seq<need<expected_dimension>, gap, need<expected_label>> {};
/// An op with arguments, whose cost is expected.
struct case_type : p::seq<cost_word> {};
struct case_call
    : p::seq<cost_arguments, p::opt<gap, p::not_at<k_with>, p::not_at<k_within>, case_type>,
             p::opt<gap, cost_values>> {};
struct case_context : p::opt<gap, or_misspelled<k_within>, gap, need<case_within>,
                             p::star<comma, need<case_within>>> {};
struct case_expected : p::seq<expectation, p::star<comma, expectation>> {};
/// What else is known of an operation: the phase of its step, the innermost op around its launch.
struct case_phase_label : p::seq<label> {};
struct case_phase : p::seq<k_phase, gap, case_phase_label> {};
struct case_op_name : p::seq<string> {};
struct case_op_arguments : p::seq<p::at<p::one<'('>>, cost_arguments> {};
struct case_op : p::seq<k_op, gap, case_op_name, p::opt<gap, case_op_arguments>> {};
struct case_known : p::star<p::sor<case_phase, case_op>, gap> {};
struct case_first : p::seq<case_known, p::sor<p::seq<case_kind, gap, need<case_name>>, case_name>,
                           p::opt<gap, case_call>, case_context> {};
/// `"a" > "b" => part gate > "c"`: operations that follow each other on a stream.
struct case_next : p::one<'>'> {};
struct case_later : p::seq<case_known, p::opt<case_kind, gap>, need<case_name>, case_context,
                           p::opt<gap, arrow, gap, case_expected>> {};
struct test_case
    : p::seq<case_first,
             p::sor<p::at<gap, case_next>, p::seq<gap, need<arrow>, gap, case_expected>>,
             p::star<gap, case_next, gap, case_later>> {};
struct test_begin : p::seq<k_test> {};
struct test_engine : p::seq<name> {};
struct test_model : p::seq<word> {};
struct test_open : p::one<'{'> {};
struct test_close : p::seq<inside, p::one<'}'>> {};
struct test_cases : p::star<inside, p::sor<guarded<test_case>, stray>, gap> {};
struct test
    : p::seq<test_begin, gap, need<test_engine>, p::opt<gap, p::one<'/'>, gap, need<test_model>>,
             gap, need<test_open>, gap, test_cases, need<test_close>> {};

struct declaration
    : p::sor<use, pattern, labels, table, cost_block, engine, test, requirement, metadata> {};
struct misplaced_in_file
    : p::seq<when<misplaced>,
             p::sor<detect, phases_block, fold, abbreviate, model, dimension_block>> {};
struct file
    : p::seq<gap, p::star<p::sor<guarded<declaration>, guarded<misplaced_in_file>, stray>, gap>,
             p::eof> {};

}  // namespace kr::syntax::grammar
