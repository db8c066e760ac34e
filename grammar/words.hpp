// What rules files are made of: blanks, words, keywords, texts; and how a mistake is met.
//
// A mistake is met in three ways:
//   need<R>      R, or its mistake is reported; the report says where to go on (as though R stood
//                there), or gives the item up
//   oops<R>      R is a known mistake: reported, and stepped over
//   guarded<R>   R; when it was given up, the state looks for the next item
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
      go_to(in, Control<Rule>::mistake(in.byte(), in.byte(), state));
      return true;
    }
  }
};

template <class Rule>
struct oops {
  using rule_t = oops;
  using subs_t = p::type_list<Rule>;
  template <p::apply_mode A, p::rewind_mode, template <class...> class Action,
            template <class...> class Control, class Input, class State>
  static bool match(Input& in, State& state) {
    const size_t begin = in.byte();
    if (!Control<Rule>::template match<A, p::rewind_mode::required, Action, Control>(in, state)) {
      return false;
    }
    if constexpr (A == p::apply_mode::action) {
      go_to(in, Control<Rule>::mistake(begin, in.byte(), state));
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

/// What no other rule reads where an item should stand: reported, and skipped or amended so that
/// the next attempt reads it. Fails where the block ends.
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

/// Consumes nothing: holds when the state says so of this place.
template <class Asked>
struct when {
  using rule_t = when;
  using subs_t = p::empty_list;
  template <p::apply_mode, p::rewind_mode, template <class...> class, template <class...> class,
            class Input, class State>
  static bool match(Input& in, State& state) {
    return Asked::holds(state, in.byte());
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

/// A keyword as written, or a word that was found to be this keyword misspelt.
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
    if (rest.starts_with(text)) {
      if (rest.size() > text.size() && word_byte::test(rest[text.size()])) return false;
      in.bump(text.size());
      return true;
    }
    const size_t meant = state.meant(in.byte(), text);
    in.bump(meant);
    return meant > 0;
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
struct k_engine : keyword<'e', 'n', 'g', 'i', 'n', 'e'> {};
struct k_model : keyword<'m', 'o', 'd', 'e', 'l'> {};
struct k_phases : keyword<'p', 'h', 'a', 's', 'e', 's'> {};
struct k_fold : keyword<'f', 'o', 'l', 'd'> {};
struct k_abbreviate : keyword<'a', 'b', 'b', 'r', 'e', 'v', 'i', 'a', 't', 'e'> {};
struct k_detect : keyword<'d', 'e', 't', 'e', 'c', 't'> {};
struct k_replace : keyword<'r', 'e', 'p', 'l', 'a', 'c', 'e'> {};
struct k_drop : keyword<'d', 'r', 'o', 'p'> {};
struct k_include : keyword<'i', 'n', 'c', 'l', 'u', 'd', 'e'> {};
struct k_otherwise : keyword<'o', 't', 'h', 'e', 'r', 'w', 'i', 's', 'e'> {};
struct k_keep : keyword<'k', 'e', 'e', 'p'> {};
struct k_within : keyword<'w', 'i', 't', 'h', 'i', 'n'> {};
struct k_test : keyword<'t', 'e', 's', 't'> {};

/// A keyword in the middle of a declaration, or a word near to it, which is reported.
template <class Keyword>
struct near {
  static constexpr std::string_view text = Keyword::text;
  template <class State>
  static bool holds(State& state, size_t at) {
    return state.is_near(at, text);
  }
};
template <class Keyword>
struct misspelt : p::seq<p::at<word>, when<near<Keyword>>, p::plus<word_byte>> {};
template <class Keyword>
struct like : p::sor<Keyword, oops<misspelt<Keyword>>> {};

struct text_bytes
    : p::star<p::sor<p::not_one<'"', '\\', '\n'>, p::seq<p::one<'\\'>, p::not_one<'\n'>>>> {};
struct text_end : p::one<'"'> {};
struct string : p::seq<p::one<'"'>, text_bytes, need<text_end>> {};

struct path_head : p::seq<word> {};
struct path_part : p::seq<word> {};
struct path : p::seq<path_head, p::star<p::one<'.'>, need<path_part>>> {};

/// In a block a word or string and `:` is always a rule.
struct colon_next : p::seq<gap, p::one<':'>> {};
struct block_next : p::seq<gap, p::one<':', '{'>> {};

}  // namespace kr::syntax::grammar

namespace tao::pegtl {

template <class Name, class Rule>
struct analyze_traits<Name, kr::syntax::grammar::need<Rule>> : analyze_opt_traits<Rule> {};
template <class Name, class Rule>
struct analyze_traits<Name, kr::syntax::grammar::oops<Rule>> : analyze_seq_traits<Rule> {};
template <class Name, class Rule>
struct analyze_traits<Name, kr::syntax::grammar::guarded<Rule>> : analyze_seq_traits<Rule> {};
/// `stray` moves on, or amends what stands there so that the next attempt moves on (once a place).
template <class Name>
struct analyze_traits<Name, kr::syntax::grammar::stray> : analyze_any_traits<> {};
template <class Name, class Asked>
struct analyze_traits<Name, kr::syntax::grammar::when<Asked>> : analyze_opt_traits<> {};
template <class Name, char... C>
struct analyze_traits<Name, kr::syntax::grammar::keyword<C...>> : analyze_any_traits<> {};

}  // namespace tao::pegtl
