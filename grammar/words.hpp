// The parts of rules files (blanks, words, keywords, texts), and the handling of mistakes:
//
//   need<R>      matches R. If R is missing, reports this; the report returns the offset where
//                parsing continues as if R had matched, or abandons the item.
//   mistake<R>   R is a known mistake: reports and skips it.
//   guarded<R>   matches R. If R was abandoned, the state finds the next item.
#pragma once

#include <string_view>
#include <tao/pegtl.hpp>
#include <tao/pegtl/contrib/analyze_traits.hpp>

namespace kr::syntax::grammar {

namespace p = tao::pegtl;

template <class Input>
void go_to(Input& in, size_t offset) {
  in.bump(offset - in.byte());
}

template <class Rule>
struct need {
  using rule_t = need;
  using subs_t = p::type_list<Rule>;
  template <p::apply_mode A, p::rewind_mode, template <class...> class Action,
            template <class...> class Control, class Input, class State>
  static bool match(Input& in, State& state) {
    if (Control<Rule>::template match<A, p::rewind_mode::required, Action, Control>(in, state)) {
      return true;
    }
    if constexpr (A == p::apply_mode::nothing) {
      return false;
    } else {
      go_to(in, Control<Rule>::report_mistake(in.byte(), in.byte(), state));
      return true;
    }
  }
};

template <class Rule>
struct mistake {
  using rule_t = mistake;
  using subs_t = p::type_list<Rule>;
  template <p::apply_mode A, p::rewind_mode, template <class...> class Action,
            template <class...> class Control, class Input, class State>
  static bool match(Input& in, State& state) {
    const size_t begin = in.byte();
    if (!Control<Rule>::template match<A, p::rewind_mode::required, Action, Control>(in, state)) {
      return false;
    }
    if constexpr (A == p::apply_mode::action) {
      go_to(in, Control<Rule>::report_mistake(begin, in.byte(), state));
    }
    return true;
  }
};

template <class Rule>
struct guarded {
  using rule_t = guarded;
  using subs_t = p::type_list<Rule>;
  template <p::apply_mode A, p::rewind_mode M, template <class...> class Action,
            template <class...> class Control, class Input, class State>
  static bool match(Input& in, State& state) {
    const size_t depth = state.depth();
    try {
      return Control<Rule>::template match<A, M, Action, Control>(in, state);
    } catch (const typename State::Abandoned& abandoned) {
      go_to(in, state.recover(abandoned.at, depth));
      return true;
    }
  }
};

/// Anything that no other rule matches at the start of an item: reported, then skipped, or repaired
/// so that the next attempt matches it. Fails at the end of the block.
struct stray {
  using rule_t = stray;
  using subs_t = p::empty_list;
  template <p::apply_mode, p::rewind_mode, template <class...> class, template <class...> class,
            class Input, class State>
  static bool match(Input& in, State& state) {
    size_t at = in.byte();
    if (!state.stray(at)) return false;
    go_to(in, at);
    return true;
  }
};

/// Consumes nothing: matches if `predicate(state, offset)` is true.
template <auto predicate>
struct when {
  using rule_t = when;
  using subs_t = p::empty_list;
  template <p::apply_mode, p::rewind_mode, template <class...> class, template <class...> class,
            class Input, class State>
  static bool match(Input& in, State& state) {
    return predicate(state, in.byte());
  }
};

// Blanks and comments.

struct comment : p::seq<p::one<'#'>, p::star<p::not_one<'\n'>>> {};
struct blank : p::plus<p::one<' ', '\n', '\t', '\r'>> {};
struct gap : p::star<p::sor<blank, comment>> {};
struct same_line : p::plus<p::one<' ', '\t'>> {};

// Words, strings, paths.

struct word_byte : p::ranges<'a', 'z', 'A', 'Z', '0', '9', '_', '_', '-', '-'> {};
struct word_head : p::ranges<'a', 'z', 'A', 'Z', '0', '9', '_', '_'> {};
struct word : p::seq<word_head, p::star<word_byte>> {};

/// A keyword, or a word that the state recognized as this keyword misspelled.
template <char... C>
struct keyword {
  using rule_t = keyword;
  using subs_t = p::empty_list;
  static constexpr char bytes[] = {C...};
  static constexpr std::string_view text{bytes, sizeof...(C)};
  template <p::apply_mode, p::rewind_mode, template <class...> class, template <class...> class,
            class Input, class State>
  static bool match(Input& in, State& state) {
    const std::string_view rest(in.current(), in.size());
    const bool longer = rest.size() > text.size() && word_byte::test(rest[text.size()]);
    if (rest.starts_with(text) && !longer) {
      in.bump(text.size());
      return true;
    }
    const size_t misspelled_size = state.misspelled_size(in.byte(), text);
    in.bump(misspelled_size);
    return misspelled_size > 0;
  }
};

struct k_use : keyword<'u', 's', 'e'> {};
struct k_as : keyword<'a', 's'> {};
struct k_pattern : keyword<'p', 'a', 't', 't', 'e', 'r', 'n'> {};
struct k_labels : keyword<'l', 'a', 'b', 'e', 'l', 's'> {};
struct k_extends : keyword<'e', 'x', 't', 'e', 'n', 'd', 's'> {};
struct k_color : keyword<'c', 'o', 'l', 'o', 'r'> {};
struct k_table : keyword<'t', 'a', 'b', 'l', 'e'> {};
struct k_for : keyword<'f', 'o', 'r'> {};
struct k_over : keyword<'o', 'v', 'e', 'r'> {};
struct k_from : keyword<'f', 'r', 'o', 'm'> {};
struct k_engine : keyword<'e', 'n', 'g', 'i', 'n', 'e'> {};
struct k_model : keyword<'m', 'o', 'd', 'e', 'l'> {};
struct k_phases : keyword<'p', 'h', 'a', 's', 'e', 's'> {};
struct k_fold : keyword<'f', 'o', 'l', 'd'> {};
struct k_abbreviate : keyword<'a', 'b', 'b', 'r', 'e', 'v', 'i', 'a', 't', 'e'> {};
struct k_detect : keyword<'d', 'e', 't', 'e', 'c', 't'> {};
struct k_refine : keyword<'r', 'e', 'f', 'i', 'n', 'e'> {};
struct k_replace : keyword<'r', 'e', 'p', 'l', 'a', 'c', 'e'> {};
struct k_drop : keyword<'d', 'r', 'o', 'p'> {};
struct k_include : keyword<'i', 'n', 'c', 'l', 'u', 'd', 'e'> {};
struct k_ignore : keyword<'i', 'g', 'n', 'o', 'r', 'e'> {};
struct k_continue : keyword<'c', 'o', 'n', 't', 'i', 'n', 'u', 'e'> {};
struct k_otherwise : keyword<'o', 't', 'h', 'e', 'r', 'w', 'i', 's', 'e'> {};
struct k_keep : keyword<'k', 'e', 'e', 'p'> {};
struct k_within : keyword<'w', 'i', 't', 'h', 'i', 'n'> {};
struct k_with : keyword<'w', 'i', 't', 'h'> {};
struct k_own : keyword<'o', 'w', 'n'> {};
struct k_word : keyword<'w', 'o', 'r', 'd'> {};
struct k_op : keyword<'o', 'p'> {};
struct k_phase : keyword<'p', 'h', 'a', 's', 'e'> {};
struct k_cost : keyword<'c', 'o', 's', 't'> {};
struct k_flops : keyword<'f', 'l', 'o', 'p', 's'> {};
struct k_bytes : keyword<'b', 'y', 't', 'e', 's'> {};
struct k_test : keyword<'t', 'e', 's', 't'> {};
struct k_requires : keyword<'r', 'e', 'q', 'u', 'i', 'r', 'e', 's'> {};
struct k_kr : keyword<'k', 'r'> {};
struct k_author : keyword<'a', 'u', 't', 'h', 'o', 'r'> {};
struct k_since : keyword<'s', 'i', 'n', 'c', 'e'> {};
struct k_link : keyword<'l', 'i', 'n', 'k'> {};

/// A keyword in the middle of a declaration, or a similar word, which is reported.
template <class Keyword>
inline constexpr auto is_near =
    [](auto& state, size_t at) { return state.is_near(at, Keyword::text); };
template <class Keyword>
struct misspelled : p::seq<p::at<word>, when<is_near<Keyword>>, p::plus<word_byte>> {};
template <class Keyword>
struct or_misspelled : p::sor<Keyword, mistake<misspelled<Keyword>>> {};

struct text_bytes
    : p::star<p::sor<p::not_one<'"', '\\', '\n'>, p::seq<p::one<'\\'>, p::not_one<'\n'>>>> {};
struct text_end : p::one<'"'> {};
struct string : p::seq<p::one<'"'>, text_bytes, need<text_end>> {};

struct path_head : p::seq<word> {};
struct path_part : p::seq<word> {};
struct path : p::seq<path_head, p::star<p::one<'.'>, need<path_part>>> {};

/// In a block, a word or string followed by `:` is always a rule.
struct colon_next : p::seq<gap, p::one<':'>> {};
struct block_next : p::seq<gap, p::one<':', '{'>> {};

}  // namespace kr::syntax::grammar

namespace tao::pegtl {

template <class Name, class Rule>
struct analyze_traits<Name, kr::syntax::grammar::need<Rule>> : analyze_opt_traits<Rule> {};
template <class Name, class Rule>
struct analyze_traits<Name, kr::syntax::grammar::mistake<Rule>> : analyze_seq_traits<Rule> {};
template <class Name, class Rule>
struct analyze_traits<Name, kr::syntax::grammar::guarded<Rule>> : analyze_seq_traits<Rule> {};
/// `stray` consumes input, or repairs it so that the next attempt consumes it (once per place).
template <class Name>
struct analyze_traits<Name, kr::syntax::grammar::stray> : analyze_any_traits<> {};
template <class Name, auto predicate>
struct analyze_traits<Name, kr::syntax::grammar::when<predicate>> : analyze_opt_traits<> {};
template <class Name, char... C>
struct analyze_traits<Name, kr::syntax::grammar::keyword<C...>> : analyze_any_traits<> {};

}  // namespace tao::pegtl
