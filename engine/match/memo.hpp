// What the project's own automata said of patterns and names, kept from one version of the rules to
// the next: between two edits nearly all of both stay the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "regex/nfa.hpp"
#include "sema/program.hpp"

namespace kr {

/// For one thread.
class MatchMemo {
 public:
  /// Whether the atom holds in the name.
  bool holds(const Atom& atom, std::string_view name);

  /// Past this many answers it begins anew.
  static constexpr size_t max_answers = 2000000;

 private:
  struct Pattern {
    std::optional<regex::Nfa> automaton;            // made when first asked
    std::unordered_map<std::string, bool> answers;  // by name
  };
  std::unordered_map<std::string, Pattern> patterns_;  // by Atom::hyperscan
  regex::Nfa::Scratch scratch_;
  size_t answers_ = 0;
};

}  // namespace kr
