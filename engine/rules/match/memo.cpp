#include "match/memo.hpp"

namespace kr::match {

void MatchMemo::clear() {
  ++generation_;
  numbers_.clear();
  automata_.clear();
  by_name_.clear();
  answers_ = 0;
}

void MatchMemo::number(const sema::Program& program, Patterns& patterns) {
  patterns.generation = generation_;
  patterns.numbers.clear();
  for (const sema::Atom& atom : program.atoms) {
    const auto next = static_cast<uint32_t>(numbers_.size());
    patterns.numbers.push_back(numbers_.try_emplace(atom.hyperscan, next).first->second);
  }
  automata_.resize(numbers_.size());
}

void MatchMemo::add_matches(const sema::Program& program, Patterns& patterns, std::string_view name,
                            AtomSet& set) {
  if (answers_ >= max_answers) clear();
  if (patterns.generation != generation_) number(program, patterns);
  std::vector<Answer>& answers = by_name_[std::string(name)];
  if (answers.size() < automata_.size()) {
    answers_ += automata_.size() - answers.size();
    answers.resize(automata_.size(), Answer::unknown);
  }
  for (uint32_t i = 0; i < patterns.numbers.size(); ++i) {
    const uint32_t number = patterns.numbers[i];
    Answer& answer = answers[number];
    if (answer == Answer::unknown) answer = match(program.atoms.get({i}), number, name);
    if (answer == Answer::yes) set.add({i});
  }
}

MatchMemo::Answer MatchMemo::match(const sema::Atom& atom, uint32_t number, std::string_view name) {
  std::optional<regex::Nfa>& automaton = automata_[number];
  if (!automaton) automaton.emplace(atom.regex);
  return automaton->search(name, scratch_) ? Answer::yes : Answer::no;
}

}  // namespace kr::match
