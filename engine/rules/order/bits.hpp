// A chain as bits: a set of its steps is one number, and a place of a sequence costs a few
// instructions.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "order/chain.hpp"

namespace kr::order {

using Steps = uint64_t;

inline constexpr Steps bit(size_t step) {
  return Steps{1} << step;
}
/// Steps 0 to count - 1.
inline constexpr Steps steps_below(size_t count) {
  return count >= 64 ? ~Steps{0} : bit(count) - 1;
}

/// Which steps may take the next place, depending on those that took the last one; in one
/// direction.
struct Moves {
  Steps optional = 0;
  Steps repeated = 0;

  /// Also the steps behind optional ones. The sum carries through each run of optional steps.
  Steps skip(Steps set) const { return set | ((optional + (set & optional)) ^ optional); }
  Steps next(Steps took) const { return (took & repeated) | skip(took << 1); }
};

/// The steps of a chain, forward: bit s is step s.
inline Moves forward(const Chain& chain) {
  Moves moves;
  for (size_t s = 0; s < chain.steps.size(); ++s) {
    if (chain.steps[s].optional) moves.optional |= bit(s);
    if (chain.steps[s].repeated) moves.repeated |= bit(s);
  }
  return moves;
}
inline Steps brackets(const Chain& chain) {
  return steps_below(chain.last + size_t{1}) & ~steps_below(chain.first);
}
/// Whether brackets can contain several operations, or have several steps.
inline bool has_long_brackets(const Chain& chain) {
  return chain.first != chain.last || chain.steps[chain.first].repeated;
}
/// The steps that take a letter: those in brackets never take `start` and `end`.
inline Steps takes(const Chain& chain, const Block& block, Letter letter) {
  return letter < block.letters ? chain.takes[letter] : chain.takes[letter] & ~brackets(chain);
}
/// The same set of steps below `count`, numbered backward: step s is bit count - 1 - s.
inline Steps reversed(Steps set, size_t count) {
  Steps result = 0;
  for (; set != 0; set &= set - 1) {
    result |= bit(count - 1 - static_cast<size_t>(std::countr_zero(set)));
  }
  return result;
}
inline Moves backward(const Chain& chain) {
  const Moves moves = forward(chain);
  const size_t count = chain.steps.size();
  return {reversed(moves.optional, count), reversed(moves.repeated, count)};
}

/// The steps in brackets, numbered backward.
struct Brackets {
  explicit Brackets(const Chain& chain)
      : moves(backward(chain)),
        all(reversed(brackets(chain), chain.steps.size())),
        begins(
            reversed(forward(chain).skip(bit(chain.first)) & brackets(chain), chain.steps.size())),
        ends(moves.skip(bit(chain.steps.size() - 1 - chain.last)) & all) {}

  /// The steps that can take the operation behind one that was taken by these.
  Steps behind(Steps took) const {
    Steps next = took >> 1;
    for (Steps skipped = next & moves.optional; skipped != 0; skipped &= moves.optional) {
      skipped = (skipped >> 1) & ~next;
      next |= skipped;
    }
    return ((took & moves.repeated) | next) & all;
  }
  /// The steps that can take the operation before one that was taken by these.
  Steps before(Steps took) const { return moves.next(took) & all; }

  Moves moves;
  Steps all;
  Steps begins;  // the steps that the brackets can begin with
  Steps ends;    // the steps that they can end with
};

/// Throws InternalError if a block is not as chain.hpp says.
void check(const Block& block);

}  // namespace kr::order
