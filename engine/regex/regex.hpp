// Regular expressions on bytes: the part on which Hyperscan, RE2 and Python's `re` agree.
//
// A Regex is a tree in one vector, linked by id. Case is folded while it is built (a letter under
// `i` becomes the set of both), so that nothing later needs a flag. Texts of rules are Regexes
// too (`literal`), so that all atoms go one way.
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
  group,          // a named group round its operand (capture for phases; else transparent)
  begin,          // ^
  end,            // $, the end of the name and nothing else
  word_edge,      // \b
  not_word_edge,  // \B
};

struct Node {
  static constexpr int unbounded = -1;
  NodeKind kind = NodeKind::empty;
  ByteSet set;
  std::vector<NodeId> operands;
  int min = 0;
  int max = 0;
  bool lazy = false;  // matters only to captures
  std::string name;   // group
  source::Span span;  // of the rules file; invalid for nodes that nobody wrote
};

struct Regex {
  Store<Node, NodeTag> nodes;
  NodeId root;
};

/// Patterns whose automaton would have more states are a diagnostic.
inline constexpr uint64_t max_states = 1 << 17;

struct ParseOptions {
  bool ignore_case = false;
};

/// `text` is the pattern as written (in a rules file between slashes, where `\/` is a slash), and
/// `span` its place, for diagnostics inside the pattern. None, and a diagnostic, for what the
/// portable dialect does not have.
std::optional<Regex> parse(std::string_view text, source::Span span, ParseOptions options,
                           diag::Sink& sink);

/// The Regex of a text atom.
Regex literal(std::string_view bytes, bool ignore_case, bool at_begin, bool at_end);

/// The tree as an S-expression, for tests: `(seq [a] (rep 0 * [bc]))`.
std::string dump(const Regex& regex);

/// In the syntax of Hyperscan (PCRE with DOTALL, no other flag); `$` is written `\z`.
std::string to_hyperscan(const Regex& regex);
/// In the syntax of RE2 in Latin-1 mode; named groups kept as (?P<name>…).
std::string to_re2(const Regex& regex);

/// What the search for a Regex says of names that it matches only with an empty match, which
/// Hyperscan cannot be asked.
enum class Vacuity : uint8_t {
  never,       // every match has at least one byte
  always,      // has an empty match in every name: `.*`, `a?`, `^`, `(^|a)`
  empty_name,  // its empty matches are only in the empty name: `^a*$`
  sometimes,   // empty matches that depend on place: `\b`, `(a|\B)`
};
Vacuity vacuity(const Regex& regex);

/// The empty matches of a Regex: at which places of a name it has one. Exact, and cheap to ask.
class EmptyMatches {
 public:
  /// Kinds of places, a bit each: what stands before and behind (see empty_places.hpp).
  using Places = uint16_t;
  /// Those that a name has.
  static Places places_of(std::string_view name);

  explicit EmptyMatches(const Regex& regex);
  /// Whether a name with these places has one with an empty match.
  bool any(Places places) const noexcept { return (places_ & places) != 0; }
  bool any(std::string_view name) const { return any(places_of(name)); }
  Vacuity vacuity() const;

 private:
  Places places_;
};

/// The same language with the matches of at least one byte only; named groups go. None when
/// nothing in it takes a byte.
std::optional<Regex> without_empty(const Regex& regex);

/// Whether `^` stands only where a match of the whole begins, and `$` only where it ends.
bool anchored_at_edges(const Regex& regex);

/// The same names, by matches of at least one byte, and anchored at its edges, as Hyperscan needs
/// it; without named groups. None when nothing matches. Where it would be many times as large it is
/// not anchored at its edges: without_empty.
std::optional<Regex> to_edges(const Regex& regex);

/// The names of its named groups, in the order written.
std::vector<std::string> group_names(const Regex& regex);

}  // namespace kr::regex
