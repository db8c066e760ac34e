// Searches for many expressions in one pass over a name: their automata run in parallel, as one
// deterministic automaton whose states are created on demand.
//
// A state is a set of places of the automata. With existing states a byte costs one table lookup,
// for any number of expressions. There may be exponentially many sets, so memory is bounded: when
// the table is full it is cleared.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "regex/bit_automaton.hpp"
#include "regex/empty_places.hpp"
#include "regex/nfa.hpp"

namespace kr::regex {

/// The automata of several expressions, numbered from 0 in the order given. Immutable; shared
/// between threads.
struct NfaUnion {
  struct State {
    Nfa::Op op;
    NodeKind assertion;
    uint32_t set;          // index into sets
    uint32_t next, other;  // `accept`: next is the number of the automaton
  };
  /// Walks the states that are reachable without a byte. For one thread.
  class Walk {
   public:
    /// For the states [base, end).
    Walk(uint32_t base, uint32_t end) : base_(base), seen_(end - base, 0) {}
    /// Forgets the visited states.
    void begin() { ++mark_; }
    /// Calls `visit(index, state)` for every state that reads a byte, asserts or accepts, once
    /// since `begin`. For an assertion it returns whether to continue after it.
    template <class Visit>
    void from(const NfaUnion& all, uint32_t first, const Visit& visit) {
      pending_.push_back(first);
      while (!pending_.empty()) {
        const uint32_t index = pending_.back();
        pending_.pop_back();
        if (seen_[index - base_] == mark_) continue;
        seen_[index - base_] = mark_;
        ++visits_;
        const State& state = all.states[index];
        if (state.op == Nfa::Op::split) {
          pending_.push_back(state.other);
          pending_.push_back(state.next);
        } else if (visit(index, state)) {
          pending_.push_back(state.next);
        }
      }
    }

    /// The number of states visited so far.
    uint64_t visits() const noexcept { return visits_; }

   private:
    uint32_t base_;
    uint64_t visits_ = 0;
    std::vector<uint64_t> seen_;
    uint64_t mark_ = 0;
    std::vector<uint32_t> pending_;
  };

  explicit NfaUnion(std::span<const Nfa> automata);
  size_t automata() const noexcept { return starts.size(); }
  /// The first state of an automaton.
  uint32_t first_state(uint32_t automaton) const {
    return automaton == 0 ? 0 : ends[automaton - 1];
  }

  std::vector<State> states;
  std::vector<uint32_t> starts;  // by automaton
  std::vector<uint32_t> ends;    // of its states, by automaton
  std::vector<ByteSet> sets;     // of classes
  std::array<uint8_t, 256> class_of{};
  std::vector<Side> side_of_class;
  bool edges = false;  // any \b or \B

 private:
  void find_classes(std::span<const Nfa> automata);
};

/// For one thread. The NfaUnion must outlive it.
class Dfa {
 public:
  /// Searches with these automata of the union. `limit`: bytes of states, approximately.
  Dfa(const NfaUnion& all, std::vector<uint32_t> automata, size_t limit);
  Dfa(Dfa&&) = default;
  Dfa& operator=(Dfa&&) = default;

  /// Calls `found(automaton)` for each that matches anywhere in `name`, possibly more than once.
  /// False: nearly every byte creates a state, and fewer automata may be faster together. The
  /// caller can then search again with all of them.
  template <class Found>
  bool search(std::string_view name, const Found& found);

  std::span<const uint32_t> automata() const noexcept { return automata_; }
  /// The number of table entries created so far: the work besides lookups.
  uint64_t made() const noexcept { return made_; }
  /// Not during a search. A table that is larger is cleared.
  void set_limit(size_t limit) {
    limit_ = limit;
    if (used_ > limit_) clear();
  }
  /// Bytes of its table, approximately.
  size_t bytes() const noexcept { return used_; }

 private:
  static constexpr uint32_t unmade = UINT32_MAX;
  static constexpr uint64_t bytes_per_entry = 64;  // bytes read, to be worth an entry
  struct Step {
    uint32_t next = unmade;
    uint32_t found = 0;  // index into found_: the automata that match with this step
  };
  /// States of the union, ascending, then the side before.
  using Key = std::u32string;
  /// The matches that begin at a place, by what is before and after.
  struct Beginning {
    bool made = false;
    std::vector<uint32_t> items, found;
  };

  uint32_t first_state();
  uint32_t intern(Key key);
  uint32_t list(std::vector<uint32_t> found);
  Step make(uint32_t state, size_t byte_class);
  uint32_t at_end(uint32_t state);
  BitAutomaton* by_bits();
  const Beginning& beginning(Side before, size_t behind);
  void close(uint32_t from, Side before, Side behind, bool resolve, std::vector<uint32_t>& items,
             std::vector<uint32_t>& found);
  void advance(std::span<const uint32_t> items, Side before, size_t byte_class,
               std::vector<uint32_t>& to, std::vector<uint32_t>& found);
  void clear();

  const NfaUnion* all_;
  std::vector<uint32_t> automata_;
  size_t limit_;
  size_t classes_;
  std::vector<Step> table_;  // by state and class
  std::vector<const Key*> states_;
  std::vector<uint32_t> at_end_;  // by state: index into found_, or unmade
  uint32_t first_ = unmade;       // the state at the start of a name
  std::unordered_map<Key, uint32_t> known_;
  std::vector<std::vector<uint32_t>> found_;
  std::map<std::vector<uint32_t>, uint32_t> known_found_;
  std::vector<uint64_t> reported_in_;  // by index into found_: the last search that reported it
  std::vector<Beginning> beginnings_;  // by side before, and class or end after
  NfaUnion::Walk walk_;                // its automata are adjacent
  std::vector<uint32_t> active_;
  uint64_t searches_ = 0;
  size_t used_ = 0;  // bytes, approximately
  uint64_t made_ = 0;
  uint64_t made_before_ = 0;  // made_ when it was last cleared
  uint64_t read_ = 0;         // bytes since then
  std::optional<BitAutomaton> bits_;
  bool bits_tried_ = false;
};

/// All automata of a union, split over as many Dfas as are fast. For one thread.
class Searcher {
 public:
  explicit Searcher(const NfaUnion& all, size_t limit = size_t{8} << 20);

  template <class Found>
  void search(std::string_view name, const Found& found) {
    for (size_t i = 0; i < parts_.size();) {
      if (parts_[i].search(name, found)) {
        ++i;
      } else {
        split(i);
      }
    }
  }
  size_t parts() const noexcept { return parts_.size(); }
  uint64_t made() const noexcept;
  /// Bytes of all tables, approximately: at most `max_bytes`, or `min_bytes` per expression.
  size_t bytes() const noexcept;

  static constexpr size_t max_bytes = size_t{64} << 20;
  static constexpr size_t min_bytes = size_t{32} << 10;

 private:
  void split(size_t part);
  const NfaUnion* all_;
  size_t limit_;  // of each part
  std::vector<Dfa> parts_;
  uint64_t made_before_ = 0;  // by parts that were split
};

template <class Found>
bool Dfa::search(std::string_view name, const Found& found) {
  ++searches_;
  const auto report = [&](uint32_t list) {
    if (reported_in_[list] == searches_) return;
    reported_in_[list] = searches_;
    for (const uint32_t automaton : found_[list]) found(automaton);
  };
  uint32_t state = first_state();
  size_t counted = 0;
  for (size_t at = 0; at < name.size(); ++at) {
    const uint8_t byte_class = all_->class_of[static_cast<unsigned char>(name[at])];
    Step step = table_[state * classes_ + byte_class];
    if (step.next == unmade) {
      step = make(state, byte_class);
      if (step.next == unmade) {
        // Full.
        read_ += at - counted;
        counted = at;
        if (read_ < bytes_per_entry * (made_ - made_before_)) {
          if (automata_.size() > 1) return false;
          // Nearly every byte leads to a new state: creating entries costs more than it saves.
          if (BitAutomaton* bits = by_bits()) {
            if (bits->search(name)) found(automata_.front());
            return true;
          }
        }
        const Key key = *states_[state];
        clear();
        state = intern(key);
        step = make(state, byte_class);
      }
    }
    if (step.found != 0) report(step.found);
    state = step.next;
  }
  read_ += name.size() - counted;
  if (const uint32_t last = at_end(state); last != 0) report(last);
  return true;
}

}  // namespace kr::regex
