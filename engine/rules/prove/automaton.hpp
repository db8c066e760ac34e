// The search automata of many languages, run in parallel. A set of states shows, for each language,
// the progress of its matches, or that it has matched.
//
// States are numbered language by language. The first number of each language means "matched"; a
// set that contains it contains no other state of that language. A set does not contain the start
// of new matches, since a match may begin at every place.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "prove/formula.hpp"
#include "regex/dfa.hpp"

namespace kr::prove {

using regex::Side;

/// A sorted set of states.
using States = std::vector<uint32_t>;

/// Whether a search finds a name before another of the same length: its first different byte is
/// more readable.
bool reads_better(std::string_view name, std::string_view other);

/// A few bits of a set of states, which exclude most subset tests quickly.
class Summary {
 public:
  void add(uint32_t state) { words_[state / 64 % words_.size()] |= uint64_t{1} << (state % 64); }
  void add(const Summary& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  /// False: the set is not a subset of the other.
  bool may_be_subset_of(const Summary& other) const {
    uint64_t missing = 0;
    for (size_t i = 0; i < words_.size(); ++i) missing |= words_[i] & ~other.words_[i];
    return missing == 0;
  }

 private:
  std::array<uint64_t, 4> words_{};
};

class Automaton {
 public:
  /// All languages of the arena. Sema refuses languages with too many states.
  explicit Automaton(const Formulas& formulas);

  size_t languages() const noexcept { return first_.size() - 1; }
  size_t states() const noexcept { return language_.size(); }
  /// Classes of bytes that no language distinguishes.
  size_t classes() const noexcept { return representative_.size(); }
  /// The classes, the most readable first.
  const std::vector<size_t>& by_reading() const noexcept { return by_reading_; }
  unsigned char representative(size_t byte_class) const { return representative_[byte_class]; }
  Side side(size_t byte_class) const { return all_.side_of_class[byte_class]; }
  /// Whether a language has word boundaries, so that the byte before a place matters.
  bool has_edges(uint32_t language) const { return edges_[language]; }

  uint32_t matched(uint32_t language) const { return first_[language]; }
  uint32_t language_of(uint32_t state) const { return language_[state]; }
  bool is_matched(uint32_t state) const { return first_[language_[state]] == state; }

  /// Reads a byte of a class after `before`, for the languages of `active`.
  void step(const States& from, Side before, size_t byte_class, const std::vector<char>& active,
            States& to) const;
  /// Appends the next states of states that have not matched, unsorted and with duplicates, without
  /// new matches. Returns false if a language matches; `to` is then not usable.
  bool step_unmatched(const States& from, Side before, size_t byte_class, States& to) const;
  /// The first states of matches of all languages that begin with a byte of a class; unsorted.
  const std::vector<uint32_t>& beginnings(Side before, size_t byte_class) const {
    return beginnings_[static_cast<size_t>(before)][byte_class];
  }
  /// The languages with an empty match between two sides, ascending.
  const std::vector<uint32_t>& empty_between(Side before, Side behind) const {
    return empty_[static_cast<size_t>(before) * 3 + static_cast<size_t>(behind)];
  }
  /// Whether the language of an unmatched state matches if the name ends here.
  bool matches_at_end(uint32_t state, Side before) const {
    return way(state, before, Side::nothing).accepts;
  }
  /// The languages that match if the name ends here, ascending.
  void matched_at_end(const States& from, Side before, const std::vector<char>& active,
                      std::vector<uint32_t>& languages) const;
  /// By language, whether it matches a name.
  std::vector<char> matched_in(std::string_view name) const;

 private:
  struct Edge {
    uint32_t set;     // of classes, in all_
    uint32_t target;  // state
  };
  /// The transitions of a state between two sides.
  struct Way {
    uint32_t begin = 0, end = 0;  // edges_of_[begin, end)
    bool accepts = false;
  };
  /// By side before and after; all the same if the language has no assertions.
  struct Ways {
    std::array<uint32_t, 9> way;
  };

  void order_classes();
  void list_states();
  const Way& way(uint32_t state, Side before, Side behind) const {
    return ways_[by_state_[state]
                     .way[static_cast<size_t>(before) * 3 + static_cast<size_t>(behind)]];
  }
  void list_arrivals();
  void list_beginnings();
  /// A state reached by a byte: "matched" if its language matches in any case.
  uint32_t arrived(uint32_t state, Side before) const {
    return arrived_[static_cast<size_t>(before)][state];
  }

  regex::NfaUnion all_;
  std::vector<unsigned char> representative_;  // by class
  std::vector<size_t> by_reading_;
  std::vector<Edge> edges_of_;
  std::vector<Way> ways_;
  std::vector<Ways> by_state_;                    // by state
  std::array<std::vector<uint32_t>, 3> arrived_;  // by side before and state
  std::vector<uint32_t> language_;                // by state
  std::vector<uint32_t> first_;                   // by language, and one past the end
  std::vector<uint32_t> start_;                   // by language: the state where a match begins
  std::vector<char> edges_;                       // by language
  /// The first states of matches, by side before and class after.
  std::array<std::vector<std::vector<uint32_t>>, 3> beginnings_;
  /// Languages with an empty match, by side before and side after.
  std::array<std::vector<uint32_t>, 9> empty_;
};

}  // namespace kr::prove
