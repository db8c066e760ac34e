// The search automata of many languages, walked side by side: a set of states says, for each
// language, how far its matches have come, or that it has matched for good.
//
// States are numbered language by language. The first of each language's numbers means "matched"; a
// set that has it holds no other of that language. Where a match may still begin is not in the set:
// it may at every place.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "prove/formula.hpp"
#include "regex/nfa.hpp"

namespace kr::prove {

/// What stands beside a place in a name.
enum class Side : uint8_t { nothing, word, other };

/// A sorted set of states.
using States = std::vector<uint32_t>;

/// Whether a search comes on a name before another as long: its first byte that differs is the
/// pleasanter one to read.
bool reads_better(std::string_view name, std::string_view other);

/// A few bits of a set of states: most sets that do not lie in another are told by them.
class Summary {
 public:
  void add(uint32_t state) { words_[state / 64 % words_.size()] |= uint64_t{1} << (state % 64); }
  void add(const Summary& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  /// False: the set does not lie in the other.
  bool may_lie_in(const Summary& other) const {
    uint64_t missing = 0;
    for (size_t i = 0; i < words_.size(); ++i) missing |= words_[i] & ~other.words_[i];
    return missing == 0;
  }

 private:
  std::array<uint64_t, 4> words_{};
};

class Automaton {
 public:
  /// All languages of the arena. None of them has too many states: sema refuses those.
  explicit Automaton(const Formulas& formulas);

  size_t languages() const noexcept { return first_.size() - 1; }
  size_t states() const noexcept { return language_.size(); }
  /// Classes of bytes that no language tells apart, the ones a person would rather read first.
  size_t classes() const noexcept { return representative_.size(); }
  unsigned char representative(size_t byte_class) const { return representative_[byte_class]; }
  Side side(size_t byte_class) const { return side_[byte_class]; }
  /// Whether a language asks for edges of words, so that what stands before a place matters.
  bool has_edges(uint32_t language) const { return edges_[language]; }

  uint32_t matched(uint32_t language) const { return first_[language]; }
  uint32_t language_of(uint32_t state) const { return language_[state]; }
  bool is_matched(uint32_t state) const { return first_[language_[state]] == state; }

  /// Reads a byte of a class, `before` standing before it. Only languages of `active` are followed.
  void step(const States& from, Side before, size_t byte_class, const std::vector<char>& active,
            States& to) const;
  /// Appends where states that have not matched lead, neither sorted nor each once; what begins at
  /// this place is not among it. False as soon as a language matches: then `to` is of no use.
  bool step_unmatched(const States& from, Side before, size_t byte_class, States& to) const;
  /// What begins when a byte of a class is read, of all languages; not sorted.
  const std::vector<uint32_t>& beginnings(Side before, size_t byte_class) const {
    return beginnings_[static_cast<size_t>(before)][byte_class];
  }
  /// The languages with an empty match between two sides, rising.
  const std::vector<uint32_t>& empty_between(Side before, Side behind) const {
    return empty_[static_cast<size_t>(before) * 3 + static_cast<size_t>(behind)];
  }
  /// Whether the language of a state that has not matched does when the name ends here.
  bool matches_at_end(uint32_t state, Side before) const {
    return way(state, before, Side::nothing).accepts;
  }
  /// The languages that have matched when the name ends here, rising.
  void matched_at_end(const States& from, Side before, const std::vector<char>& active,
                      std::vector<uint32_t>& languages) const;
  /// By language, whether it matches in a name.
  std::vector<char> matched_in(std::string_view name) const;

 private:
  using Classes = std::bitset<256>;
  struct Edge {
    uint32_t set;     // index into sets_
    uint32_t target;  // state
  };
  /// What can be done from a state between two sides.
  struct Way {
    uint32_t begin = 0, end = 0;  // edges_of_[begin, end)
    bool accepts = false;
  };
  /// By what stands before and behind; one and the same where the language has no assertions.
  struct Ways {
    std::array<uint32_t, 9> way;
  };

  /// Ours for an automaton's.
  struct Numbers {
    std::vector<uint32_t> of_set;
    std::vector<uint32_t> of_state;
  };

  void find_classes(const std::vector<regex::Nfa>& automata);
  void add(const regex::Nfa& automaton);
  Way closure(const regex::Nfa& automaton, uint32_t start, Side before, Side behind,
              const Numbers& numbers);
  const Way& way(uint32_t state, Side before, Side behind) const {
    return ways_[by_state_[state]
                     .way[static_cast<size_t>(before) * 3 + static_cast<size_t>(behind)]];
  }
  void list_arrivals();
  void list_beginnings();
  /// A state reached by a byte: "matched" where its language has matched whatever follows.
  uint32_t arrived(uint32_t state, Side before) const {
    return arrived_[static_cast<size_t>(before)][state];
  }

  std::vector<unsigned char> representative_;
  std::vector<Side> side_;
  std::array<uint8_t, 256> class_of_{};
  std::vector<Classes> sets_;
  std::unordered_map<regex::ByteSet, uint32_t> known_sets_;
  std::vector<Edge> edges_of_;
  std::vector<Way> ways_;
  std::vector<Ways> by_state_;                    // by state
  std::array<std::vector<uint32_t>, 3> arrived_;  // by side before and state
  std::vector<uint32_t> language_;                // by state
  std::vector<uint32_t> first_;                   // by language, and one past the end
  std::vector<uint32_t> start_;                   // by language: the state where a match begins
  std::vector<char> edges_;                       // by language
  std::vector<uint32_t> marks_;                   // scratch of closure
  uint32_t mark_ = 0;
  /// What begins at a place: by side before it and class behind it.
  std::array<std::vector<std::vector<uint32_t>>, 3> beginnings_;
  /// Languages with an empty match at a place: by side before and side behind.
  std::array<std::vector<uint32_t>, 9> empty_;
};

}  // namespace kr::prove
