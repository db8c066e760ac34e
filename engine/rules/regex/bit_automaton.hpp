// Searches for one expression with one bit per place: a byte moves all places at once, 64 per word.
//
// For expressions whose sets of places rarely repeat, so that a table of them (dfa.hpp) does not
// help: `a.{500}b`. Most places lead only to the next place, which is a shift; the others are
// handled separately (as in Hyperscan's LimEx: Wang et al., NSDI 2019).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "regex/empty_places.hpp"

namespace kr::regex {

struct NfaUnion;

/// For one thread. The NfaUnion must outlive it.
class BitAutomaton {
 public:
  /// None if each place leads to many others, as in `(a?){1000}`.
  static std::optional<BitAutomaton> build(const NfaUnion& all, uint32_t automaton);

  /// Whether it matches anywhere in `name`. Time: bytes × places / 64, plus the jumps.
  bool search(std::string_view name);

 private:
  using Words = std::vector<uint64_t>;
  struct Part {
    uint32_t word;
    uint64_t bits;
  };
  /// From each of some places to all of some others.
  struct Jump {
    std::vector<Part> from, to;
  };
  /// The places where a match can begin, between two bytes or at an edge of the name.
  struct Start {
    Words places;
    bool accepts = false;
  };
  /// The transitions of places whose byte has been read, by what is before and after.
  struct Steps {
    Words forward;  // to the next place
    Words stay;
    std::vector<Jump> jumps;
    Words accepting;
  };
  class Builder;

  size_t between(Side before, Side behind) const;
  /// Reads a byte of a class, whose places are `reach`. False: a match ended before this byte.
  bool step(const Steps& steps, const Start& start, const Words& reach);

  const NfaUnion* all_ = nullptr;
  size_t words_ = 0;
  std::array<Start, 9> starts_;
  std::array<Steps, 9> steps_;
  std::vector<Words> reach_;             // places whose byte may be of a class
  std::array<uint8_t, 256> reach_of_{};  // by class: index into reach_
  Words places_, to_;
};

}  // namespace kr::regex
