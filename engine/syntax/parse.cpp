// Binds the grammar to the Builder. Only this file knows both.
#include "syntax/parse.hpp"

#include "base/utf8.hpp"
#include "grammar/kr.hpp"
#include "syntax/builder.hpp"

namespace kr::syntax {
namespace {

namespace g = grammar;

/// The action of a grammar rule: calls a method of Builder with the rule's span.
template <auto Method>
struct calls {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    (builder.*Method)(builder.span(in.begin(), in.end()));
  }
};

template <class Rule>
struct action : tao::pegtl::nothing<Rule> {};

// clang-format off
template <> struct action<g::comment> : calls<&Builder::comment> {};
template <> struct action<g::word> : calls<&Builder::word> {};
template <> struct action<g::text_bytes> : calls<&Builder::text_bytes> {};
template <> struct action<g::string> : calls<&Builder::string> {};
template <> struct action<g::path_head> : calls<&Builder::path_head> {};
template <> struct action<g::path_part> : calls<&Builder::path_part> {};

template <> struct action<g::expression_begin> : calls<&Builder::expression_begin> {};
template <> struct action<g::expression> : calls<&Builder::expression> {};
template <> struct action<g::caret> : calls<&Builder::begin_anchor> {};
template <> struct action<g::bare_text> : calls<&Builder::bare_text> {};
template <> struct action<g::begin_text> : calls<&Builder::begin_text> {};
template <> struct action<g::ignore_case> : calls<&Builder::ignore_case> {};
template <> struct action<g::end_anchor> : calls<&Builder::end_anchor> {};
template <> struct action<g::text_atom> : calls<&Builder::text_atom> {};
template <> struct action<g::regex_bytes> : calls<&Builder::regex_bytes> {};
template <> struct action<g::regex> : calls<&Builder::regex> {};
template <> struct action<g::regex_atom> : calls<&Builder::regex_atom> {};
template <> struct action<g::operation> : calls<&Builder::operation> {};
template <> struct action<g::operation_atom> : calls<&Builder::operation_atom> {};
template <> struct action<g::otherwise_atom> : calls<&Builder::otherwise_atom> {};
template <> struct action<g::name_atom> : calls<&Builder::name_atom> {};
template <> struct action<g::open_paren> : calls<&Builder::open_paren> {};
template <> struct action<g::close_paren> : calls<&Builder::close_paren> {};
template <> struct action<g::negation> : calls<&Builder::negation> {};
template <> struct action<g::within> : calls<&Builder::within> {};
template <> struct action<g::or_operator> : calls<&Builder::or_operator> {};

template <> struct action<g::rule_head> : calls<&Builder::rule_head> {};
template <> struct action<g::colonless_head> : calls<&Builder::rule_head> {};
template <> struct action<g::rule> : calls<&Builder::rule> {};
template <> struct action<g::replace_begin> : calls<&Builder::replace_begin> {};
template <> struct action<g::drop_begin> : calls<&Builder::drop_begin> {};
template <> struct action<g::include_begin> : calls<&Builder::include_begin> {};
template <> struct action<g::keep_begin> : calls<&Builder::keep_begin> {};
template <> struct action<g::rule_label> : calls<&Builder::rule_label> {};
template <> struct action<g::drop_label> : calls<&Builder::rule_label> {};
template <> struct action<g::include_table> : calls<&Builder::include_table> {};
template <> struct action<g::rules_open> : calls<&Builder::rules_open> {};
template <> struct action<g::rules_close> : calls<&Builder::close> {};
template <> struct action<g::phases_begin> : calls<&Builder::phases_begin> {};
template <> struct action<g::phases_block> : calls<&Builder::phases> {};
template <> struct action<g::block_begin> : calls<&Builder::block_begin> {};
template <> struct action<g::dimension_block> : calls<&Builder::block> {};

template <> struct action<g::engine_begin> : calls<&Builder::engine_begin> {};
template <> struct action<g::engine_name> : calls<&Builder::engine_name> {};
template <> struct action<g::engine_title> : calls<&Builder::engine_title> {};
template <> struct action<g::engine_open> : calls<&Builder::engine_open> {};
template <> struct action<g::engine_close> : calls<&Builder::close> {};
template <> struct action<g::engine> : calls<&Builder::engine> {};
template <> struct action<g::model_begin> : calls<&Builder::model_begin> {};
template <> struct action<g::model_name> : calls<&Builder::model_name> {};
template <> struct action<g::model_title> : calls<&Builder::model_title> {};
template <> struct action<g::model_base> : calls<&Builder::model_base> {};
template <> struct action<g::model_open> : calls<&Builder::model_open> {};
template <> struct action<g::model_close> : calls<&Builder::close> {};
template <> struct action<g::model> : calls<&Builder::model> {};
template <> struct action<g::fold_item> : calls<&Builder::fold_item> {};
template <> struct action<g::abbreviated> : calls<&Builder::abbreviated> {};
template <> struct action<g::abbreviation> : calls<&Builder::abbreviation> {};
template <> struct action<g::detect> : calls<&Builder::detect> {};

template <> struct action<g::use_begin> : calls<&Builder::use_begin> {};
template <> struct action<g::use_file> : calls<&Builder::use_file> {};
template <> struct action<g::use_module> : calls<&Builder::use_module> {};
template <> struct action<g::use_alias> : calls<&Builder::use_alias> {};
template <> struct action<g::use> : calls<&Builder::use> {};
template <> struct action<g::pattern_begin> : calls<&Builder::pattern_begin> {};
template <> struct action<g::pattern_name> : calls<&Builder::pattern_name> {};
template <> struct action<g::pattern> : calls<&Builder::pattern> {};
template <> struct action<g::labels_begin> : calls<&Builder::labels_begin> {};
template <> struct action<g::labels_dimension> : calls<&Builder::labels_dimension> {};
template <> struct action<g::labels_base> : calls<&Builder::labels_base> {};
template <> struct action<g::labels_open> : calls<&Builder::labels_open> {};
template <> struct action<g::labels_close> : calls<&Builder::close> {};
template <> struct action<g::labels> : calls<&Builder::labels> {};
template <> struct action<g::vocabulary_label> : calls<&Builder::vocabulary_label> {};
template <> struct action<g::label_title> : calls<&Builder::label_title> {};
template <> struct action<g::label_color> : calls<&Builder::label_color> {};
template <> struct action<g::label_entry> : calls<&Builder::label_entry> {};
template <> struct action<g::table_begin> : calls<&Builder::table_begin> {};
template <> struct action<g::table_name> : calls<&Builder::table_name> {};
template <> struct action<g::table_dimension> : calls<&Builder::table_dimension> {};
template <> struct action<g::table> : calls<&Builder::table> {};
template <> struct action<g::test_begin> : calls<&Builder::test_begin> {};
template <> struct action<g::test_engine> : calls<&Builder::test_engine> {};
template <> struct action<g::test_model> : calls<&Builder::test_model> {};
template <> struct action<g::test_open> : calls<&Builder::test_open> {};
template <> struct action<g::test_close> : calls<&Builder::close> {};
template <> struct action<g::test> : calls<&Builder::test> {};
template <> struct action<g::case_kind> : calls<&Builder::case_kind> {};
template <> struct action<g::case_name> : calls<&Builder::case_name> {};
template <> struct action<g::case_within> : calls<&Builder::case_within> {};
template <> struct action<g::expected_dimension> : calls<&Builder::expected_dimension> {};
template <> struct action<g::expected_label> : calls<&Builder::expected_label> {};
template <> struct action<g::test_case> : calls<&Builder::test_case> {};

/// The report for a missing rule: a text for `expected …`, or a method of Builder.
template <class Rule> inline constexpr auto report = nullptr;

template <> inline constexpr auto report<g::path_part> = "a name after `.`";
template <> inline constexpr auto report<g::rule_label> = "a label after `replace`";
template <> inline constexpr auto report<g::include_table> = "the name of a table after `include`";
template <> inline constexpr auto report<g::engine_name> = "the name of an engine";
template <> inline constexpr auto report<g::model_name> = "the name of a model";
template <> inline constexpr auto report<g::model_base> = "the name of a model after `extends`";
template <> inline constexpr auto report<g::abbreviated> = "a text in quotes";
template <> inline constexpr auto report<g::abbreviation_as> = "`as`";
template <> inline constexpr auto report<g::abbreviation_text> = "a text in quotes after `as`";
template <> inline constexpr auto report<g::used> = "a module, or a file in quotes";
template <> inline constexpr auto report<g::use_alias> = "a name after `as`";
template <> inline constexpr auto report<g::pattern_name> = "the name of a pattern";
template <> inline constexpr auto report<g::labels_dimension> = "the name of a dimension";
template <> inline constexpr auto report<g::labels_base> = "the labels of a module after `extends`";
template <> inline constexpr auto report<g::label_color> = "a colour in quotes after `color`";
template <> inline constexpr auto report<g::table_name> = "the name of a table";
template <> inline constexpr auto report<g::table_for> = "`for` and a dimension";
template <> inline constexpr auto report<g::table_dimension> = "the name of a dimension";
template <> inline constexpr auto report<g::test_engine> = "the name of an engine";
template <> inline constexpr auto report<g::test_model> = "the name of a model after `/`";
template <> inline constexpr auto report<g::case_name> = "a name in quotes";
template <> inline constexpr auto report<g::case_within> = "a name in quotes after `within`";
template <> inline constexpr auto report<g::expected_dimension> = "the name of a dimension";
template <> inline constexpr auto report<g::expected_label> = "a label";

template <> inline constexpr auto report<g::text_end> = &Builder::unterminated_text;
template <> inline constexpr auto report<g::regex_end> = &Builder::unterminated_regex;
template <> inline constexpr auto report<g::empty_regex> = &Builder::empty_regex;
template <> inline constexpr auto report<g::caret_apart> = &Builder::caret_apart;
template <> inline constexpr auto report<g::wrong_flag> = &Builder::wrong_flag;
template <> inline constexpr auto report<g::flag_apart> = &Builder::flag_apart;
template <> inline constexpr auto report<g::begin_text> = &Builder::missing_text;
template <> inline constexpr auto report<g::operation> = &Builder::missing_operation;
template <> inline constexpr auto report<g::atom> = &Builder::missing_atom;
template <> inline constexpr auto report<g::doubled> = &Builder::doubled_operator;
template <> inline constexpr auto report<g::missing_operator> = &Builder::missing_operator;
template <> inline constexpr auto report<g::not_word> = &Builder::not_word;
template <> inline constexpr auto report<g::colon> = &Builder::missing_colon;
template <> inline constexpr auto report<g::equals> = &Builder::missing_equals;
template <> inline constexpr auto report<g::arrow> = &Builder::missing_arrow;
template <> inline constexpr auto report<g::keep> = &Builder::missing_keep;
template <> inline constexpr auto report<g::drop_label> = &Builder::missing_drop_label;
template <> inline constexpr auto report<g::rules_close> = &Builder::unclosed_brace;
template <> inline constexpr auto report<g::engine_close> = &Builder::unclosed_brace;
template <> inline constexpr auto report<g::model_close> = &Builder::unclosed_brace;
template <> inline constexpr auto report<g::labels_close> = &Builder::unclosed_brace;
template <> inline constexpr auto report<g::test_close> = &Builder::unclosed_brace;

/// The action of a missing opening brace.
template <class Rule> inline constexpr auto opening = nullptr;
template <> inline constexpr auto opening<g::rules_open> = &Builder::rules_open;
template <> inline constexpr auto opening<g::engine_open> = &Builder::engine_open;
template <> inline constexpr auto opening<g::model_open> = &Builder::model_open;
template <> inline constexpr auto opening<g::labels_open> = &Builder::labels_open;
template <> inline constexpr auto opening<g::test_open> = &Builder::test_open;

/// The keyword that a misspelled word should be.
template <class Rule> inline constexpr std::string_view intended;
template <class Keyword>
inline constexpr std::string_view intended<g::misspelled<Keyword>> = Keyword::text;
// clang-format on

template <class Rule>
struct control : tao::pegtl::normal<Rule> {
  static size_t report_mistake(size_t begin, size_t end, Builder& builder) {
    using Report = std::remove_cv_t<decltype(report<Rule>)>;
    const source::Span seen = builder.seen(begin, end);
    if constexpr (std::is_same_v<Report, const char*>) {
      return builder.expected(begin, report<Rule>);
    } else if constexpr (!std::is_null_pointer_v<Report>) {
      return (builder.*report<Rule>)(seen);
    } else if constexpr (!intended<Rule>.empty()) {
      return builder.misspelled(seen, intended<Rule>);
    } else {
      return builder.missing_brace(seen, opening<Rule>);
    }
  }
};

}  // namespace

File parse(const source::SourceMap& sources, source::FileId file, diag::Sink& sink) {
  const std::string_view text = sources.text(file);
  Builder builder(sources, file, sink);
  const auto report = [&](size_t at, std::string_view what) {
    const auto begin = static_cast<uint32_t>(at);
    sink.add(diag::code::not_text, source::Span{file, begin, begin + 1}, what)
        .help("save it as UTF-8; any byte of a name can be written `\\xNN`");
  };
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    report(0, "it starts like UTF-16");
    return builder.take();
  }
  if (const size_t at = text.find('\0'); at != text.npos) {
    report(at, "it contains a NUL byte");
    return builder.take();
  }
  if (const size_t at = utf8_end(text); at < text.size()) {
    report(at, "a byte that is not part of a character");
    builder.ignore_broken_bytes();
  }
  using Input =
      tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy, tao::pegtl::eol::lf, const char*>;
  Input input(text.data(), text.data() + text.size(), "");
  if (text.starts_with(byte_order_mark)) input.bump(byte_order_mark.size());
  const bool whole = tao::pegtl::parse<g::file, action, control>(input, builder);
  KR_CHECK(whole);
  return builder.take();
}

}  // namespace kr::syntax
