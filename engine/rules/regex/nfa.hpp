// The Regex as a nondeterministic automaton over bytes, and matching with it. Slower than
// Hyperscan, but simple: it finds spans for `kr why`; dfa.hpp and the proofs of lint are built on
// it.
#pragma once

#include <cstdint>
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
  /// The parser limits the size of expressions, and a text is not longer than its file.
  explicit Nfa(const Regex& regex);

  /// Memory for the current states, reused from name to name. One per thread.
  class Scratch {
   private:
    friend class Nfa;
    struct Thread {
      uint32_t state;
      size_t begin;  // where its match began
    };
    void size_to(size_t states);
    std::vector<Thread> now, next;
    std::vector<uint32_t> pending;
    std::vector<uint64_t> seen;  // by state: the step that last visited it
    uint64_t step = 0;
  };

  /// Whether it matches anywhere in `name`.
  bool search(std::string_view name) const;
  bool search(std::string_view name, Scratch& scratch) const;
  /// The leftmost-longest match. Time: at most the size of the name times the states.
  std::optional<Match> find(std::string_view name) const;
  /// All such matches, in order, without overlap.
  std::vector<Match> find_all(std::string_view name) const;

  size_t states() const noexcept { return states_.size(); }

  /// Its parts, for other algorithms (engine/rules/prove).
  enum class Op : uint8_t { bytes, split, assertion, accept };
  struct State {
    Op op;
    NodeKind assertion;    // begin, end, word_edge, not_word_edge
    uint32_t set;          // index into sets_
    uint32_t next, other;  // split has two
  };
  const std::vector<State>& table() const noexcept { return states_; }
  const std::vector<ByteSet>& sets() const noexcept { return sets_; }
  uint32_t start() const noexcept { return start_; }

 private:
  friend class NfaBuilder;
  /// Adds `from` and all states reachable from it without a byte. True if `accept` is one of them.
  bool enter(uint32_t from, size_t begin, std::string_view name, size_t at, Scratch& scratch) const;
  /// With `any`, the match that ends first is enough.
  std::optional<Match> find(std::string_view name, size_t from, bool any, Scratch& scratch) const;
  std::vector<State> states_;
  std::vector<ByteSet> sets_;
  uint32_t start_ = 0;
};

}  // namespace kr::regex
