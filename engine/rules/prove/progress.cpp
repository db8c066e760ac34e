#include "prove/progress.hpp"

#include <algorithm>
#include <optional>

#include "base/hash.hpp"

namespace kr::prove {
namespace {

/// The value of a part that was not collected yet.
constexpr char unseen = 2;

}  // namespace

Wanted::Wanted(const Formulas& formulas, FormulaId wanted, size_t languages)
    : formulas_(formulas),
      values_(formulas.size(), unseen),
      uses_(languages, 0),
      representatives_(languages) {
  collect(wanted);
  for (uint32_t i = 0; i < languages; ++i) representatives_[i] = i;
  for (const FormulaId part : parts_) join_alternatives(formulas_.get(part));
}

bool Wanted::holds(const std::vector<char>& matched) {
  for (const FormulaId part : parts_) {
    const bool value = value_of(
        formulas_.get(part), [this](FormulaId operand) { return values_[operand.index] != 0; },
        [&](const Formula& atom) { return matched[atom.language.index] != 0; });
    values_[part.index] = value ? 1 : 0;
  }
  return values_[parts_.back().index] != 0;
}

void Wanted::collect(FormulaId id) {
  const Formula& formula = formulas_.get(id);
  KR_CHECK(formula.op != Op::negation);
  if (formula.op == Op::atom) ++uses_[formula.language.index];
  if (values_[id.index] != unseen) return;
  values_[id.index] = 0;
  for (const FormulaId operand : formula.operands) collect(operand);
  parts_.push_back(id);
}

/// Languages that occur only in one `|` are equivalent.
void Wanted::join_alternatives(const Formula& formula) {
  if (formula.op != Op::disjunction) return;
  std::optional<uint32_t> first;
  for (const FormulaId operand : formula.operands) {
    const Formula& one = formulas_.get(operand);
    if (one.op != Op::atom || uses_[one.language.index] != 1) continue;
    if (!first) first = one.language.index;
    representatives_[one.language.index] = *first;
  }
}

size_t Progresses::Hash::operator()(const States& states) const noexcept {
  return hash_bytes(
      {reinterpret_cast<const char*>(states.data()), states.size() * sizeof states[0]});
}

Progresses::Progresses(const Formulas& formulas, const Automaton& automaton, FormulaId wanted)
    : automaton_(automaton),
      wanted_(formulas, wanted, automaton.languages()),
      active_(automaton.languages(), 0),
      begins_late_(automaton.languages(), 0),
      of_group_(automaton.languages()),
      matched_(automaton.languages(), 0) {
  for (uint32_t i = 0; i < active_.size(); ++i) active_[i] = wanted_.uses(i) ? 1 : 0;
  for (uint32_t state = 0; state < automaton_.states(); ++state) {
    of_group_[group_of(state)].add(state);
  }
  for (const Side before : {Side::word, Side::other}) {
    for (size_t c = 0; c < automaton_.classes(); ++c) {
      for (const uint32_t state : automaton_.beginnings(before, c)) {
        begins_late_[automaton_.language_of(state)] = 1;
      }
    }
    for (const Side behind : {Side::nothing, Side::word, Side::other}) {
      for (const uint32_t language : automaton_.empty_between(before, behind)) {
        begins_late_[language] = 1;
      }
    }
  }
  always_possible_ = wanted_.holds(begins_late_);
  add({});
}

uint32_t Progresses::next(uint32_t progress, Side before, size_t byte_class) {
  std::vector<uint32_t>& known = all_[progress].next[static_cast<size_t>(before)];
  if (known.empty()) known.assign(automaton_.classes(), unknown);
  uint32_t result = known[byte_class];
  if (result != unknown) return result;
  States to;
  automaton_.step(all_[progress].states, before, byte_class, active_, to);
  settle(to);
  if (!always_possible_ && !is_possible(to)) {
    result = dead_state;
  } else {
    const auto at = known_.find(to);
    result = at != known_.end() ? at->second : add(std::move(to));
  }
  all_[progress].next[static_cast<size_t>(before)][byte_class] = result;
  return result;
}

bool Progresses::accepts_at_end(uint32_t progress, Side before) {
  char& known = all_[progress].accepts_at_end[static_cast<size_t>(before)];
  if (known != unevaluated) return known != 0;
  automaton_.matched_at_end(all_[progress].states, before, active_, languages_);
  for (const uint32_t language : languages_) matched_[language] = 1;
  known = wanted_.holds(matched_) ? 1 : 0;
  for (const uint32_t language : languages_) matched_[language] = 0;
  return known != 0;
}

uint32_t Progresses::add(States states) {
  const auto index = static_cast<uint32_t>(all_.size());
  Progress made;
  for (const uint32_t state : states) {
    made.has.add(state);
    made.covers.add(state);
    if (automaton_.is_matched(state)) made.covers.add(of_group_[group_of(state)]);
  }
  known_.emplace(states, index);
  made.states = std::move(states);
  all_.push_back(std::move(made));
  return index;
}

/// After a language has matched, removes the states of its equivalent languages.
void Progresses::settle(States& states) {
  languages_.clear();
  for (const uint32_t state : states) {
    if (!automaton_.is_matched(state)) continue;
    const uint32_t group = group_of(state);
    if (matched_[group] != 0) continue;
    matched_[group] = 1;
    languages_.push_back(group);
  }
  if (languages_.empty()) return;
  std::erase_if(states, [this](uint32_t state) { return matched_[group_of(state)] != 0; });
  for (const uint32_t group : languages_) {
    states.push_back(automaton_.matched(group));
    matched_[group] = 0;
  }
  std::ranges::sort(states);
}

/// Whether the wanted formula is true if all languages match that still can.
bool Progresses::is_possible(const States& states) {
  std::vector<char> may = begins_late_;
  for (const uint32_t state : states) may[automaton_.language_of(state)] = 1;
  return wanted_.holds(may);
}

bool Progresses::covers(uint32_t one, uint32_t other) const {
  if (one == other) return true;
  const Progress& further = all_[one];
  const Progress& behind = all_[other];
  if (!behind.has.may_be_subset_of(further.covers)) return false;
  const States& there = further.states;
  return std::ranges::all_of(behind.states, [&](uint32_t state) {
    return std::ranges::binary_search(there, state) ||
           std::ranges::binary_search(there, automaton_.matched(group_of(state)));
  });
}

}  // namespace kr::prove
