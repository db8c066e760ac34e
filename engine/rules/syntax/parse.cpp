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
  builder.on(For<Rule>(), source::Span());
}
struct action<Rule> {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    builder.on(For<Rule>(), builder.span(in.begin(), in.end()));
  }
};

// clang-format off
/// What is expected where a rule does not match and Builder has no method for it.
template <class Rule> inline constexpr auto wanted = nullptr;

template <> inline constexpr auto wanted<g::path_part> = "a name after `.`";
template <> inline constexpr auto wanted<g::image_label> = "labels of the other dimension";
template <> inline constexpr auto wanted<g::phase_name> = "the label of a phase";
template <> inline constexpr auto wanted<g::phase_close> = "`|` or `)` after a label";
template <> inline constexpr auto wanted<g::op_name> = "the name of an op";
template <> inline constexpr auto wanted<g::close_paren> = "`|` or `)` after a name";
template <> inline constexpr auto wanted<g::include_table> = "the name of a table after `include`";
template <> inline constexpr auto wanted<g::model_base> = "the name of a model after `extends`";
template <> inline constexpr auto wanted<g::abbreviated> = "a text in quotes";
template <> inline constexpr auto wanted<g::abbreviation_as> = "`as`";
template <> inline constexpr auto wanted<g::abbreviation_text> = "a text in quotes after `as`";
template <> inline constexpr auto wanted<g::required_program> = "`kr` after `requires`";
template <> inline constexpr auto wanted<g::metadata_text> = "a text in quotes";
template <> inline constexpr auto wanted<g::used> = "a module, or a file in quotes";
template <> inline constexpr auto wanted<g::use_alias> = "a name after `as`";
template <> inline constexpr auto wanted<g::pattern_name> = "the name of a pattern";
template <> inline constexpr auto wanted<g::labels_base> = "the labels of a module after `extends`";
template <> inline constexpr auto wanted<g::label_color> = "a colour in quotes after `color`";
template <> inline constexpr auto wanted<g::table_name> = "the name of a table";
template <> inline constexpr auto wanted<g::table_dimension> = "the name of a dimension";
template <> inline constexpr auto wanted<g::clause_colon> = "`:` and the cost";
template <> inline constexpr auto wanted<g::amount_part> = "`flops` or `bytes`";
template <> inline constexpr auto wanted<g::cost_type> = "a type after `as`";
template <> inline constexpr auto wanted<g::cost_argument> = "an argument: `[M, K]`, `_`, a number";
template <> inline constexpr auto wanted<g::arguments_close> = "`,` or `)` after an argument";
template <> inline constexpr auto wanted<g::shape_dimension> = "a dimension: a name, `_` or a number";
template <> inline constexpr auto wanted<g::shape_close> = "`,` or `]` after a dimension";
template <> inline constexpr auto wanted<g::list_close> = "`,` or `)` after a number";
template <> inline constexpr auto wanted<g::value_equals> = "`=` and a formula";
template <> inline constexpr auto wanted<g::index_number> = "a number after `[`";
template <> inline constexpr auto wanted<g::index_close> = "`]`";
template <> inline constexpr auto wanted<g::test_model> = "the name of a model after `/`";
template <> inline constexpr auto wanted<g::case_name> = "a name in quotes";
template <> inline constexpr auto wanted<g::case_within> = "a name in quotes after `within`";
template <> inline constexpr auto wanted<g::expected_dimension> = "the name of a dimension";
template <> inline constexpr auto wanted<g::expected_label> = "a label";

/// The block that a brace opens.
template <class Rule> inline constexpr Level block_of = Level::rules;
template <> inline constexpr Level block_of<g::engine_open> = Level::engine;
template <> inline constexpr Level block_of<g::model_open> = Level::model;
template <> inline constexpr Level block_of<g::labels_open> = Level::labels;
template <> inline constexpr Level block_of<g::test_open> = Level::test;
template <> inline constexpr Level block_of<g::cost_open> = Level::costs;

/// The keyword that a misspelled word should be.
template <class Rule> inline constexpr std::string_view intended;
template <class Keyword>
inline constexpr std::string_view intended<g::misspelled<Keyword>> = Keyword::text;
// clang-format on

template <class Rule>
struct control : tao::pegtl::normal<Rule> {
  static size_t report_mistake(size_t begin, size_t end, Builder& builder) {
    const source::Span seen = builder.seen(begin, end);
    if constexpr (requires { builder.mistake(For<Rule>(), seen); }) {
      return builder.mistake(For<Rule>(), seen);
    } else if constexpr (wanted<Rule> != nullptr) {
      return builder.expected(begin, wanted<Rule>);
    } else if constexpr (!intended<Rule>.empty()) {
      return builder.misspelled(seen, intended<Rule>);
    } else {
      return builder.missing_brace(seen, block_of<Rule>,
                                   [&](source::Span brace) { builder.on(For<Rule>(), brace); });
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
  if (builder.requires_later_kr() || builder.is_other_format()) return builder.take();
  using Input =
      tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy, tao::pegtl::eol::lf, const char*>;
  Input input(text.data(), text.data() + text.size(), "");
  if (text.starts_with(byte_order_mark)) input.bump(byte_order_mark.size());
  const bool whole = tao::pegtl::parse<g::file, action, control>(input, builder);
  KR_CHECK(whole);
  return builder.take();
}

}  // namespace kr::syntax
