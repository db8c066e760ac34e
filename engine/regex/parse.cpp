// The actions on grammar/regex.hpp: each item of a pattern to the Builder.
#include <tao/pegtl.hpp>

#include "base/integer.hpp"
#include "grammar/regex.hpp"
#include "regex/builder.hpp"
#include "regex/byte_set.hpp"
#include "regex/dialect.hpp"

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

unsigned char control_value(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    default:
      return '\a';
  }
}

unsigned char first_byte(std::string_view item) {
  return static_cast<unsigned char>(item.front());
}

template <class Rule>
struct action : pegtl::nothing<Rule> {};

/// An action that hands the text of the item to a function.
template <void (*Step)(std::string_view, Builder&)>
struct calls {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    Step(matched(in), builder);
  }
};

/// An action that calls a member of the Builder with the text of the item.
template <void (Builder::*Step)(std::string_view)>
struct does {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    (builder.*Step)(matched(in));
  }
};

template <NodeKind Kind>
void assertion(std::string_view item, Builder& builder) {
  builder.assertion(item, Kind);
}

void plain_byte(std::string_view item, Builder& builder) {
  builder.byte(item, first_byte(item));
}
void escaped_set_item(std::string_view item, Builder& builder) {
  builder.set(item, escaped_set(item[1]));
}
void escaped_control(std::string_view item, Builder& builder) {
  builder.byte(item, control_value(item[1]));
}
void escaped_hex(std::string_view item, Builder& builder) {
  builder.byte(item, escaped_byte(item));
}
void escaped_punctuation(std::string_view item, Builder& builder) {
  builder.byte(item, static_cast<unsigned char>(item[1]));
}
void escaped_edge(std::string_view item, Builder& builder) {
  builder.assertion(item, item[1] == 'b' ? NodeKind::word_edge : NodeKind::not_word_edge);
}
void dot(std::string_view item, Builder& builder) {
  builder.set(item, ByteSet().set());
}
void bar(std::string_view, Builder& builder) {
  builder.bar();
}
void fold_all(std::string_view, Builder& builder) {
  builder.fold_all();
}
void open_named(std::string_view item, Builder& builder) {
  builder.open_named(item, item.substr(3, item.size() - 4));
}

template <>
struct action<g::fold_all> : calls<fold_all> {};
template <>
struct action<g::open_folded> : does<&Builder::open_folded> {};
template <>
struct action<g::open_bare> : does<&Builder::open> {};
template <>
struct action<g::open_plain> : does<&Builder::open> {};
template <>
struct action<g::open_named> : calls<open_named> {};
template <>
struct action<g::close> : does<&Builder::close> {};
template <>
struct action<g::bar> : calls<bar> {};
template <>
struct action<g::quantifier> : does<&Builder::quantifier> {};
template <>
struct action<g::dot> : calls<dot> {};
template <>
struct action<g::begin> : calls<assertion<NodeKind::begin>> {};
template <>
struct action<g::escaped_begin> : calls<assertion<NodeKind::begin>> {};
template <>
struct action<g::end> : calls<assertion<NodeKind::end>> {};
template <>
struct action<g::plain_byte> : calls<plain_byte> {};
template <>
struct action<g::plain_beyond_ascii> : does<&Builder::beyond_ascii> {};
template <>
struct action<g::escaped_edge> : calls<escaped_edge> {};
// The escapes below stand in classes under names of their own.
template <>
struct action<g::escaped_set> : calls<escaped_set_item> {};
template <>
struct action<g::escaped_control> : calls<escaped_control> {};
template <>
struct action<g::escaped_hex> : calls<escaped_hex> {};
template <>
struct action<g::escaped_punctuation> : calls<escaped_punctuation> {};

// Classes.

void class_byte(std::string_view item, Builder& builder) {
  builder.class_byte(item, first_byte(item));
}
void class_set(std::string_view item, Builder& builder) {
  builder.class_set(item, escaped_set(item[1]));
}
void class_control(std::string_view item, Builder& builder) {
  builder.class_byte(item, control_value(item[1]));
}
void class_hex(std::string_view item, Builder& builder) {
  builder.class_byte(item, escaped_byte(item));
}
void class_punctuation(std::string_view item, Builder& builder) {
  builder.class_byte(item, static_cast<unsigned char>(item[1]));
}
void class_close(std::string_view item, Builder& builder) {
  builder.class_close(item, true);
}
void class_unclosed(std::string_view item, Builder& builder) {
  builder.class_close(item, false);
}

template <>
struct action<g::class_open> : does<&Builder::class_open> {};
template <>
struct action<g::class_leading_bracket> : calls<class_byte> {};
template <>
struct action<g::class_byte> : calls<class_byte> {};
template <>
struct action<g::class_set> : calls<class_set> {};
template <>
struct action<g::class_control> : calls<class_control> {};
template <>
struct action<g::class_hex> : calls<class_hex> {};
template <>
struct action<g::class_punctuation> : calls<class_punctuation> {};
template <>
struct action<g::class_not_portable> : does<&Builder::class_bad> {};
template <>
struct action<g::class_item> : does<&Builder::class_item> {};
template <>
struct action<g::class_first_item> : does<&Builder::class_item> {};
template <>
struct action<g::class_close> : calls<class_close> {};
template <>
struct action<g::class_unclosed> : calls<class_unclosed> {};

// What the dialect does not have.

template <>
struct action<g::class_posix> : calls<reject_posix_class> {};
template <>
struct action<g::class_edge> : calls<reject_edge_in_class> {};
template <>
struct action<g::class_beyond_ascii> : calls<reject_character_in_class> {};
template <>
struct action<g::back_reference> : calls<reject_back_reference> {};
template <>
struct action<g::named_reference> : calls<reject_back_reference> {};
template <>
struct action<g::octal> : calls<reject_octal> {};
template <>
struct action<g::short_hex> : calls<reject_hex> {};
template <>
struct action<g::other_anchor> : calls<reject_anchor> {};
template <>
struct action<g::quotation> : calls<reject_escape> {};
template <>
struct action<g::quotation_end> : calls<reject_escape> {};
template <>
struct action<g::other_escape> : calls<reject_escape> {};
template <>
struct action<g::lone_backslash> : calls<reject_lone_backslash> {};
template <>
struct action<g::counted_from_none> : calls<reject_open_repeat> {};
template <>
struct action<g::open_look_around> : calls<reject_look_around> {};
template <>
struct action<g::open_atomic> : calls<reject_atomic_group> {};
template <>
struct action<g::open_other_name> : calls<reject_group_spelling> {};
template <>
struct action<g::open_bad_name> : calls<reject_group_name> {};
template <>
struct action<g::open_conditional> : calls<reject_conditional> {};
template <>
struct action<g::open_branch_reset> : calls<reject_unknown_group> {};
template <>
struct action<g::open_unknown> : calls<reject_unknown_group> {};
template <>
struct action<g::verb> : calls<reject_verb> {};
template <>
struct action<g::recursion> : calls<reject_recursion> {};
template <>
struct action<g::comment> : calls<reject_comment> {};
template <>
struct action<g::flags> : calls<reject_flags> {};
template <>
struct action<g::open_flagged> : calls<reject_open_flagged> {};

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
