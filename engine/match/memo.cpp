#include "match/memo.hpp"

#include <limits>

namespace kr::match {

void MatchMemo::begin_anew() {
  ++beginning_;
  numbers_.clear();
  automata_.clear();
  said_.clear();
  answers_ = 0;
}

void MatchMemo::number(const sema::Program& program, Patterns& patterns) {
  patterns.beginning = beginning_;
  patterns.numbers.clear();
  for (const sema::Atom& atom : program.atoms) {
    const auto next = static_cast<uint32_t>(numbers_.size());
    patterns.numbers.push_back(numbers_.try_emplace(atom.hyperscan, next).first->second);
  }
  automata_.resize(numbers_.size());
}

void MatchMemo::add_holding(const sema::Program& program, Patterns& patterns, std::string_view name,
                            AtomSet& set) {
  if (answers_ >= max_answers) begin_anew();
  if (patterns.beginning != beginning_) number(program, patterns);
  std::vector<Answer>& said = said_[std::string(name)];
  if (said.size() < automata_.size()) {
    answers_ += automata_.size() - said.size();
    said.resize(automata_.size(), Answer::unasked);
  }
  for (uint32_t i = 0; i < patterns.numbers.size(); ++i) {
    const uint32_t number = patterns.numbers[i];
    Answer& answer = said[number];
    if (answer == Answer::unasked) answer = ask(program.atoms.get({i}), number, name);
    if (answer == Answer::yes) set.add({i});
  }
}

MatchMemo::Answer MatchMemo::ask(const sema::Atom& atom, uint32_t number, std::string_view name) {
  std::optional<regex::Nfa>& automaton = automata_[number];
  if (!automaton) {
    // Sema has bounded every expression, and a text is no longer than its file.
    const regex::Nfa::Limits unlimited{std::numeric_limits<size_t>::max()};
    automaton = *regex::Nfa::build(atom.regex, unlimited);
  }
  return automaton->search(name, scratch_) ? Answer::yes : Answer::no;
}

}  // namespace kr::match
