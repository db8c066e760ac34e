// The Regex as a nondeterministic automaton over bytes, and matching with it. Slow beside
// Hyperscan and obviously right: it finds spans for `kr why`, serves the patterns that Hyperscan
// refuses, and is the ground that lint's proofs stand on.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "regex/regex.hpp"

namespace kr::regex {

/// Bytes [begin, end) of a name.
using Match = std::pair<size_t, size_t>;

class Nfa {
 public:
  struct Limits {
    size_t states = 1 << 20;
  };
  /// None when the automaton would have more states than the limit (`a{1000}{1000}`).
  static std::optional<Nfa> build(const Regex& regex, Limits limits);
  static std::optional<Nfa> build(const Regex& regex) { return build(regex, Limits{}); }

  /// Whether it matches anywhere in `name`.
  bool search(std::string_view name) const;
  /// The leftmost match, the longest of those that begin there.
  std::optional<Match> find(std::string_view name) const;
  /// All such matches, one after another, without overlap.
  std::vector<Match> find_all(std::string_view name) const;

  size_t states() const noexcept { return states_.size(); }

 private:
  enum class Op : uint8_t { bytes, split, assertion, accept };
  struct State {
    Op op;
    NodeKind assertion;    // begin, end, word_edge, not_word_edge
    uint32_t set;          // index into sets_
    uint32_t next, other;  // split has two
  };
  friend class NfaBuilder;
  std::vector<State> states_;
  std::vector<ByteSet> sets_;
  uint32_t start_ = 0;
};

}  // namespace kr::regex
