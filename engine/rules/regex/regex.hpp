// Regular expressions on bytes: the portable dialect, which Hyperscan, RE2 and Python's `re` share.
//
// A Regex is a tree in one vector, linked by id. Case is folded while it is built (with `i`, a
// letter becomes the set of both cases), so later phases need no flag. Texts of rules are Regexes
// too
// (`literal`).
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.hpp"

namespace kr::regex {

using ByteSet = std::bitset<256>;

struct NodeTag;
using NodeId = Id<NodeTag>;

enum class NodeKind : uint8_t {
  empty,          // the empty string
  bytes,          // one byte of a set
  sequence,       // operands one after another
  alternation,    // any of the operands
  repeat,         // operand, min to max times
  group,          // a named group with one operand (captured for phases; otherwise no effect)
  begin,          // ^
  end,            // $, only the end of the name
  word_edge,      // \b
  not_word_edge,  // \B
};

struct Node {
  static constexpr int unbounded = -1;
  NodeKind kind = NodeKind::empty;
  ByteSet set = {};
  std::vector<NodeId> operands = {};
  int min = 0;
  int max = 0;
  bool lazy = false;       // matters only to captures
  std::string name = {};   // group
  source::Span span = {};  // in the rules file; invalid for generated nodes
};

struct Regex {
  Store<Node, NodeTag> nodes;
  NodeId root;

  /// Adds a node with operands: the only operand itself, or `empty` without operands.
  NodeId add(NodeKind kind, std::vector<NodeId> operands);
  NodeId add_repeat(NodeId operand, int min, int max);
  /// Either of two nodes; an invalid id matches nothing.
  NodeId add_either(NodeId a, NodeId b);
  /// Copies a node of another Regex with everything below it.
  NodeId add_copy(const Regex& from, NodeId part);
};

/// A pattern whose automaton would have more states is an error.
inline constexpr uint64_t max_states = 1 << 17;

struct ParseOptions {
  bool ignore_case = false;
};

/// `text` is the pattern as written (in a rules file between slashes, where `\/` is a slash);
/// `span` is its place, for diagnostics inside the pattern. Returns none and reports a diagnostic
/// for constructs outside the portable dialect.
std::optional<Regex> parse(std::string_view text, source::Span span, ParseOptions options,
                           diag::Sink& sink);

/// The Regex of a text atom.
Regex literal(std::string_view bytes, bool ignore_case, bool at_begin, bool at_end);

/// The Regex of `word "…"`: the text where it is bounded on both sides, by the ends of the name, by
/// another character than a letter or digit, or by a capital that begins a word: one that follows
/// no capital, or that a small letter follows. `topk` with `ignore_case` is in `topk_v2`, `TopK2D`
/// and `TopKKernel`, but not in `stopkey`. `bytes` is not empty.
Regex whole_word(std::string_view bytes, bool ignore_case, bool at_end);

/// In the syntax of Hyperscan (PCRE with DOTALL, no other flag); `$` is written `\z`.
std::string to_hyperscan(const Regex& regex);
/// In the syntax of RE2 in Latin-1 mode; named groups are written (?P<name>…).
std::string to_re2(const Regex& regex);

/// A set of kinds of places in a name, one bit each: what is before and after (see
/// empty_places.hpp).
using Places = uint16_t;
/// The kinds of places in a name.
Places places_of(std::string_view name);
/// Where a Regex has an empty match. Exact and fast.
Places empty_places(const Regex& regex);

/// In which names there is an empty match. Hyperscan cannot find empty matches.
enum class Vacuity : uint8_t {
  never,       // every match has at least one byte
  always,      // has an empty match in every name: `.*`, `a?`, `^`, `(^|a)`
  empty_name,  // has empty matches only in the empty name: `^a*$`
  sometimes,   // has empty matches at some places: `\b`, `(a|\B)`
};
Vacuity vacuity(Places empty);
inline Vacuity vacuity(const Regex& regex) {
  return vacuity(empty_places(regex));
}

/// The Regex without its empty matches and named groups. None if it has only empty matches.
std::optional<Regex> without_empty(const Regex& regex);

/// Whether every `^` is where a match of the whole begins, and every `$` where it ends.
bool anchored_at_edges(const Regex& regex);

/// A Regex that matches the same names without empty matches, with anchors only at its edges, as
/// Hyperscan needs it; without named groups. None if nothing matches. If the result would be many
/// times as large, it is that of without_empty.
std::optional<Regex> to_edges(const Regex& regex);

/// The names of its named groups, in the order written.
std::vector<std::string> group_names(const Regex& regex);

/// The number of states of the Nfa; at most 2^40.
uint64_t state_count(const Regex& regex);

/// A regular expression that is only a text, possibly anchored.
struct Text {
  std::string bytes;  // one or more; with `ignore_case`, letters are lower case
  bool ignore_case = false;
  bool at_begin = false;
  bool at_end = false;
};

/// The text that a regular expression matches; none if it is not exactly one text.
std::optional<Text> text_of(const Regex& regex);

/// The byte whose set this is, with or without the flag `i`: 'a' for {a} and for {a, A}.
struct Letter {
  char byte = 0;
  bool single = false;  // the set of the byte without `i`
  bool folded = false;  // the set of the byte with `i`
};
std::optional<Letter> letter_of(const ByteSet& set);

}  // namespace kr::regex
