// The actions of grammar/regex.hpp: pass each item of a pattern to the Builder.
#include <algorithm>
#include <tao/pegtl.hpp>

#include "base/integer.hpp"
#include "grammar/regex.hpp"
#include "regex/builder.hpp"
#include "regex/byte_set.hpp"

namespace kr::regex {
namespace {

namespace g = grammar::regex;
namespace pegtl = tao::pegtl;

template <class Input>
std::string_view matched(const Input& in) {
  return {in.begin(), in.size()};
}

unsigned char escaped_byte(std::string_view item) {
  return *integer_from<uint8_t>(item.substr(2), 16);
}

unsigned char control_byte(std::string_view item) {
  constexpr std::string_view letters = "ntrfv";
  constexpr std::string_view values = "\n\t\r\f\v\a";
  return static_cast<unsigned char>(values[std::min(letters.find(item[1]), letters.size())]);
}

unsigned char first_byte(std::string_view item) {
  return static_cast<unsigned char>(item.front());
}

unsigned char second_byte(std::string_view item) {
  return static_cast<unsigned char>(item[1]);
}

ByteSet letter_set(std::string_view item) {
  return escaped_set(item[1]);
}

template <class Rule>
struct action : pegtl::nothing<Rule> {};

/// Calls a function with the text of the item.
template <auto function>
struct calls {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    function(matched(in), builder);
  }
};

/// Calls a method of Builder with the text of the item and further arguments.
template <auto method, auto... arguments>
struct does {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    (builder.*method)(matched(in), arguments...);
  }
};

/// Calls a method of Builder with the text of the item and the value of that text.
template <auto method, auto value>
struct gives {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    (builder.*method)(matched(in), value(matched(in)));
  }
};

/// A string literal as a template argument.
template <size_t N>
struct Help {
  char text[N];
  constexpr Help(const char (&literal)[N]) { std::copy_n(literal, N, text); }
};

/// Reports a construct outside the dialect.
template <const diag::Code<2>& code, Help what, Help help>
struct rejects {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    builder.reject(code, matched(in), matched(in), Said{what.text}).help_ = help.text;
  }
};

/// Reports a group outside the dialect and opens it, so that its `)` has a partner.
template <const diag::Code<2>& code, Help what, Help help>
struct rejects_group {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    builder.report(code, matched(in), matched(in), Said{what.text}).help_ = help.text;
    builder.open(matched(in));
  }
};

void open_named(std::string_view item, Builder& builder) {
  builder.open_named(item, item.substr(3, item.size() - 4));
}
void escaped_edge(std::string_view item, Builder& builder) {
  builder.assertion(item, item[1] == 'b' ? NodeKind::word_edge : NodeKind::not_word_edge);
}

namespace code = diag::code;

// clang-format off
template <> struct action<g::fold_all> : does<&Builder::fold_all> {};
template <> struct action<g::open_folded> : does<&Builder::open_folded> {};
template <> struct action<g::open_bare> : does<&Builder::open> {};
template <> struct action<g::open_plain> : does<&Builder::open> {};
template <> struct action<g::open_named> : calls<open_named> {};
template <> struct action<g::close> : does<&Builder::close> {};
template <> struct action<g::bar> : does<&Builder::bar> {};
template <> struct action<g::quantifier> : does<&Builder::quantifier> {};
template <> struct action<g::dot> : does<&Builder::any> {};
template <> struct action<g::begin> : does<&Builder::assertion, NodeKind::begin> {};
template <> struct action<g::escaped_begin> : does<&Builder::assertion, NodeKind::begin> {};
template <> struct action<g::end> : does<&Builder::assertion, NodeKind::end> {};
template <> struct action<g::plain_byte> : gives<&Builder::byte, first_byte> {};
template <> struct action<g::plain_beyond_ascii> : does<&Builder::beyond_ascii> {};
template <> struct action<g::escaped_edge> : calls<escaped_edge> {};
template <> struct action<g::escaped_set> : gives<&Builder::set, letter_set> {};
template <> struct action<g::escaped_control> : gives<&Builder::byte, control_byte> {};
template <> struct action<g::escaped_hex> : gives<&Builder::byte, escaped_byte> {};
template <> struct action<g::escaped_punctuation> : gives<&Builder::byte, second_byte> {};

template <> struct action<g::class_open> : does<&Builder::class_open> {};
template <> struct action<g::class_leading_bracket> : gives<&Builder::class_byte, first_byte> {};
template <> struct action<g::class_byte> : gives<&Builder::class_byte, first_byte> {};
template <> struct action<g::class_set> : gives<&Builder::class_set, letter_set> {};
template <> struct action<g::class_control> : gives<&Builder::class_byte, control_byte> {};
template <> struct action<g::class_hex> : gives<&Builder::class_byte, escaped_byte> {};
template <> struct action<g::class_punctuation> : gives<&Builder::class_byte, second_byte> {};
template <> struct action<g::class_not_portable> : does<&Builder::class_bad> {};
template <> struct action<g::class_item> : does<&Builder::class_item> {};
template <> struct action<g::class_first_item> : does<&Builder::class_item> {};
template <> struct action<g::class_close> : does<&Builder::class_close, true> {};
template <> struct action<g::class_unclosed> : does<&Builder::class_close, false> {};

// Constructs outside the dialect.
template <> struct action<g::class_posix> : calls<reject_posix_class> {};
template <> struct action<g::class_edge> : calls<reject_edge_in_class> {};
template <> struct action<g::class_beyond_ascii> : calls<reject_character_in_class> {};
template <> struct action<g::octal> : calls<reject_octal> {};
template <> struct action<g::short_hex> : calls<reject_hex> {};
template <> struct action<g::other_anchor> : calls<reject_anchor> {};
template <> struct action<g::quotation> : calls<reject_escape> {};
template <> struct action<g::quotation_end> : calls<reject_escape> {};
template <> struct action<g::other_escape> : calls<reject_escape> {};
template <> struct action<g::counted_from_none> : calls<reject_open_repeat> {};
template <> struct action<g::open_look_around> : calls<reject_look_around> {};
template <> struct action<g::open_other_name> : calls<reject_group_spelling> {};
template <> struct action<g::flags> : calls<reject_flags> {};
template <> struct action<g::open_flagged> : calls<reject_open_flagged> {};
constexpr Help write_alternatives =
    "write out what it may repeat, as alternatives: `(?:aa|bb)`";
constexpr Help write_group = "write `(?:` for a group, `\\(` for the character";
template <> struct action<g::back_reference>
    : rejects<code::regex_construct, "a back reference", write_alternatives> {};
template <> struct action<g::named_reference>
    : rejects<code::regex_construct, "a back reference", write_alternatives> {};
template <> struct action<g::lone_backslash>
    : rejects<code::regex_spelling, "escape", "write `\\\\` for the character"> {};
template <> struct action<g::verb> : rejects<code::regex_construct, "an unknown group", "remove it"> {};
template <> struct action<g::recursion>
    : rejects<code::regex_construct, "a call of a group", "repeat the group as often as it can nest"> {};
template <> struct action<g::comment>
    : rejects<code::regex_construct, "a comment", "write it after a `#` outside of the expression"> {};
template <> struct action<g::open_atomic>
    : rejects_group<code::regex_construct, "an atomic group", "write `(?:`"> {};
template <> struct action<g::open_bad_name>
    : rejects_group<code::regex_spelling, "group name", "write `(?<name>`: letters, digits and `_`, no digit first"> {};
template <> struct action<g::open_conditional>
    : rejects_group<code::regex_construct, "a condition", "write both cases as alternatives: `(?:…|…)`"> {};
template <> struct action<g::open_branch_reset>
    : rejects_group<code::regex_construct, "an unknown group", write_group> {};
template <> struct action<g::open_unknown>
    : rejects_group<code::regex_construct, "an unknown group", write_group> {};
// clang-format on

}  // namespace

std::optional<Regex> parse(std::string_view text, source::Span span, ParseOptions options,
                           diag::Sink& sink) {
  Builder builder(text, span, options.ignore_case, sink);
  pegtl::memory_input<pegtl::tracking_mode::lazy> in(text.data(), text.size(), "");
  const bool whole = pegtl::parse<g::pattern, action>(in, builder);
  KR_CHECK(whole);
  return builder.finish();
}

}  // namespace kr::regex
