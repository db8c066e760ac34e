// Runs the grammar with the Builder.
#include "syntax/parse.hpp"

#include "base/utf8.hpp"
#include "syntax/builder.hpp"

namespace kr::syntax {
namespace {

template <class Rule>
struct action : tao::pegtl::nothing<Rule> {};

template <class Rule>
requires requires(Builder& builder) {
  builder.on(Read<Rule>(), source::Span());
}
struct action<Rule> {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    builder.on(Read<Rule>(), builder.span(in.begin(), in.end()));
  }
};

// clang-format off
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
      constexpr bool body =
          std::is_same_v<Rule, g::engine_open> || std::is_same_v<Rule, g::model_open>;
      return builder.missing_brace(seen, body,
                                   [&](source::Span brace) { builder.on(Read<Rule>(), brace); });
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
