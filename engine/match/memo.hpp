// What the project's own automata said of patterns and names, kept from one version of the rules to
// the next: between two edits nearly all of both stay the same.
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
  /// The atoms of one Program, as a memo numbers them; empty at first.
  class Patterns {
    friend class MatchMemo;
    uint64_t beginning = 0;         // of the memo, when they were numbered
    std::vector<uint32_t> numbers;  // by AtomId
  };

  /// Adds the atoms of the Program that hold in the name. `patterns` are of this Program.
  void add_holding(const sema::Program& program, Patterns& patterns, std::string_view name,
                   AtomSet& set);

  /// Past this many answers it begins anew.
  static constexpr size_t max_answers = 2000000;

 private:
  enum class Answer : char { unasked, no, yes };

  void begin_anew();
  void number(const sema::Program& program, Patterns& patterns);
  Answer ask(const sema::Atom& atom, uint32_t number, std::string_view name);

  uint64_t beginning_ = 1;
  std::unordered_map<std::string, uint32_t> numbers_;          // by Atom::hyperscan
  std::vector<std::optional<regex::Nfa>> automata_;            // by number; made when first asked
  std::unordered_map<std::string, std::vector<Answer>> said_;  // by name; by number
  regex::Nfa::Scratch scratch_;
  size_t answers_ = 0;  // in all of said_
};

}  // namespace kr::match
