#include "match/memo.hpp"

#include <limits>

namespace kr {

bool MatchMemo::holds(const Atom& atom, std::string_view name) {
  if (answers_ >= max_answers) {
    patterns_.clear();
    answers_ = 0;
  }
  Pattern& pattern = patterns_[atom.hyperscan];
  const auto [answer, added] = pattern.answers.try_emplace(std::string(name), false);
  if (!added) return answer->second;
  ++answers_;
  if (!pattern.automaton) {
    // Sema has bounded every expression, and a text is no longer than its file.
    const regex::Nfa::Limits unlimited{std::numeric_limits<size_t>::max()};
    pattern.automaton = *regex::Nfa::build(atom.regex, unlimited);
  }
  answer->second = pattern.automaton->search(name, scratch_);
  return answer->second;
}

}  // namespace kr
