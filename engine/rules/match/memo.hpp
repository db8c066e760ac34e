// Remembers which patterns match which names from one version of the rules to the next: between two
// edits nearly all patterns and names stay the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "match/scanner.hpp"
#include "regex/nfa.hpp"
#include "sema/program.hpp"

namespace kr::match {

/// For one thread.
class MatchMemo {
 public:
  /// The atoms of one Program with the memo's numbers; initially empty.
  class Patterns {
    friend class MatchMemo;
    uint64_t generation = 0;        // of the memo, when they were numbered
    std::vector<uint32_t> numbers;  // by AtomId
  };

  /// Adds the atoms of the Program that match the name. `patterns` are of this Program.
  void add_matches(const sema::Program& program, Patterns& patterns, std::string_view name,
                   AtomSet& set);

  /// After this many answers the memo is cleared.
  static constexpr size_t max_answers = 2000000;

 private:
  enum class Answer : char { unknown, no, yes };

  void clear();
  void number(const sema::Program& program, Patterns& patterns);
  Answer match(const sema::Atom& atom, uint32_t number, std::string_view name);

  uint64_t generation_ = 1;
  std::unordered_map<std::string, uint32_t> numbers_;             // by Atom::hyperscan
  std::vector<std::optional<regex::Nfa>> automata_;               // by number; created on demand
  std::unordered_map<std::string, std::vector<Answer>> by_name_;  // by name, then by number
  regex::Nfa::Scratch scratch_;
  size_t answers_ = 0;  // in by_name_
};

}  // namespace kr::match
