#include "regex/dfa.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "regex/byte_set.hpp"

namespace kr::regex {
namespace {

void sort_unique(std::vector<uint32_t>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

NfaUnion::NfaUnion(std::span<const Nfa> automata) {
  find_classes(automata);
  std::unordered_map<ByteSet, uint32_t> known_sets;
  for (const Nfa& automaton : automata) {
    std::vector<uint32_t> of_set;
    for (const ByteSet& set : automaton.sets()) {
      const auto [at, added] = known_sets.emplace(set, static_cast<uint32_t>(sets.size()));
      of_set.push_back(at->second);
      if (!added) continue;
      ByteSet classes;
      for (size_t byte = 0; byte < 256; ++byte) {
        if (set.test(byte)) classes.set(class_of[byte]);
      }
      sets.push_back(classes);
    }
    const auto offset = static_cast<uint32_t>(states.size());
    const auto number = static_cast<uint32_t>(starts.size());
    for (const Nfa::State& state : automaton.table()) {
      State copied{state.op, state.assertion, 0, state.next + offset, state.other + offset};
      if (state.op == Nfa::Op::bytes) copied.set = of_set[state.set];
      if (state.op == Nfa::Op::accept) copied.next = number;
      states.push_back(copied);
    }
    starts.push_back(automaton.start() + offset);
    ends.push_back(static_cast<uint32_t>(states.size()));
  }
}

void NfaUnion::find_classes(std::span<const Nfa> automata) {
  std::unordered_set<ByteSet> all;
  for (const Nfa& automaton : automata) {
    all.insert(automaton.sets().begin(), automaton.sets().end());
    for (const Nfa::State& state : automaton.table()) {
      edges = edges || (state.op == Nfa::Op::assertion && is_word_edge(state.assertion));
    }
  }
  if (edges) all.insert(escaped_set('w'));
  const BytePartition partition = partition_bytes(all);
  side_of_class.resize(partition.parts);
  for (size_t byte = 0; byte < 256; ++byte) {
    class_of[byte] = static_cast<uint8_t>(partition.part[byte]);
    side_of_class[class_of[byte]] = side_of(static_cast<char>(byte));
  }
}

Dfa::Dfa(const NfaUnion& all, std::vector<uint32_t> automata, size_t limit)
    : all_(&all),
      automata_(std::move(automata)),
      limit_(limit),
      classes_(all.side_of_class.size()),
      beginnings_(3 * (classes_ + 1)),
      walk_(all.first_state(automata_.front()), all.ends[automata_.back()]) {
  clear();
}

void Dfa::clear() {
  first_ = unmade;
  // New containers: `clear` would keep their memory.
  table_ = {};
  states_ = {};
  at_end_ = {};
  known_ = {};
  found_.assign(1, {});
  known_found_.clear();
  known_found_.emplace(std::vector<uint32_t>(), 0);
  reported_in_.assign(1, 0);
  used_ = 0;
  made_before_ = made_;
  read_ = 0;
}

uint32_t Dfa::first_state() {
  if (first_ == unmade) first_ = intern(Key(1, char32_t{nothing}));
  return first_;
}

uint32_t Dfa::intern(Key key) {
  const auto [at, added] =
      known_.try_emplace(std::move(key), static_cast<uint32_t>(states_.size()));
  if (added) {
    constexpr size_t overhead = 128;
    used_ += at->first.size() * sizeof(char32_t) + classes_ * sizeof(Step) + overhead;
    states_.push_back(&at->first);
    at_end_.push_back(unmade);
    table_.resize(table_.size() + classes_);
  }
  return at->second;
}

uint32_t Dfa::list(std::vector<uint32_t> found) {
  sort_unique(found);
  const auto next = static_cast<uint32_t>(found_.size());
  const auto [at, added] = known_found_.try_emplace(std::move(found), next);
  if (added) {
    constexpr size_t overhead = 128;
    used_ += 2 * at->first.size() * sizeof(uint32_t) + overhead;
    found_.push_back(at->first);
    reported_in_.push_back(0);
  }
  return at->second;
}

/// The states reachable from a state without a byte. `resolve`: both sides are known; otherwise
/// assertions stay among the items until they are.
void Dfa::close(uint32_t from, Side before, Side behind, bool resolve, std::vector<uint32_t>& items,
                std::vector<uint32_t>& found) {
  walk_.from(*all_, from, [&](uint32_t index, const NfaUnion::State& state) {
    const bool bytes = state.op == Nfa::Op::bytes;
    if (state.op == Nfa::Op::accept) {
      found.push_back(state.next);
    } else if (resolve && !bytes) {
      return holds(state.assertion, before, behind);
    } else if (bytes || state.assertion != NodeKind::begin) {
      items.push_back(index);  // `begin` cannot match after a byte
    }
    return false;
  });
}

/// Reads a byte of a class from items, which may be assertions.
void Dfa::advance(std::span<const uint32_t> items, Side before, size_t byte_class,
                  std::vector<uint32_t>& to, std::vector<uint32_t>& found) {
  const Side behind = all_->side_of_class[byte_class];
  active_.clear();
  walk_.begin();
  for (const uint32_t item : items) close(item, before, behind, true, active_, found);
  walk_.begin();
  for (const uint32_t item : active_) {
    const NfaUnion::State& state = all_->states[item];
    if (all_->sets[state.set].test(byte_class)) {
      close(state.next, nothing, nothing, false, to, found);
    }
  }
}

const Dfa::Beginning& Dfa::beginning(Side before, size_t behind) {
  Beginning& one = beginnings_[before * (classes_ + 1) + behind];
  if (one.made) return one;
  one.made = true;
  std::vector<uint32_t> starts;
  for (const uint32_t automaton : automata_) starts.push_back(all_->starts[automaton]);
  if (behind < classes_) {
    advance(starts, before, behind, one.items, one.found);
  } else {
    std::vector<uint32_t> none;
    walk_.begin();
    for (const uint32_t start : starts) close(start, before, nothing, true, none, one.found);
  }
  return one;
}

/// Creates an entry of the table; unmade if the table is full.
Dfa::Step Dfa::make(uint32_t state, size_t byte_class) {
  // A cleared table always has room for the current state and the next one.
  if (used_ > limit_ && states_.size() > 1) return {};
  ++made_;
  const Key& key = *states_[state];
  const auto before = static_cast<Side>(key.back());
  std::vector<uint32_t> items(key.begin(), key.end() - 1);
  std::vector<uint32_t> to;
  std::vector<uint32_t> found;
  advance(items, before, byte_class, to, found);
  const Beginning& more = beginning(before, byte_class);
  to.insert(to.end(), more.items.begin(), more.items.end());
  found.insert(found.end(), more.found.begin(), more.found.end());
  sort_unique(to);
  Key next(to.begin(), to.end());
  next.push_back(all_->edges ? all_->side_of_class[byte_class] : other);
  Step step;
  step.next = intern(std::move(next));
  step.found = list(std::move(found));
  return table_[state * classes_ + byte_class] = step;
}

uint32_t Dfa::at_end(uint32_t state) {
  if (at_end_[state] != unmade) return at_end_[state];
  const Key& key = *states_[state];
  const auto before = static_cast<Side>(key.back());
  std::vector<uint32_t> none;
  std::vector<uint32_t> found = beginning(before, classes_).found;
  walk_.begin();
  for (size_t i = 0; i + 1 < key.size(); ++i) close(key[i], before, nothing, true, none, found);
  return at_end_[state] = list(std::move(found));
}

/// Its only automaton as a BitAutomaton; null if that is not possible.
BitAutomaton* Dfa::by_bits() {
  if (!bits_tried_) bits_ = BitAutomaton::build(*all_, automata_.front());
  bits_tried_ = true;
  return bits_ ? &*bits_ : nullptr;
}

Searcher::Searcher(const NfaUnion& all, size_t limit) : all_(&all), limit_(limit) {
  if (all.automata() == 0) return;
  std::vector<uint32_t> every(all.automata());
  std::iota(every.begin(), every.end(), 0U);
  parts_.emplace_back(all, std::move(every), limit);
}

void Searcher::split(size_t part) {
  // All parts share the memory, so it does not grow with the number of expressions.
  limit_ = std::min(limit_, std::max(max_bytes / (parts_.size() + 1), min_bytes));
  for (Dfa& one : parts_) one.set_limit(limit_);
  const auto automata = parts_[part].automata();
  const auto half = automata.begin() + static_cast<std::ptrdiff_t>(automata.size() / 2);
  made_before_ += parts_[part].made();
  Dfa second(*all_, {half, automata.end()}, limit_);
  parts_[part] = Dfa(*all_, {automata.begin(), half}, limit_);
  parts_.push_back(std::move(second));
}

size_t Searcher::bytes() const noexcept {
  return std::accumulate(parts_.begin(), parts_.end(), size_t{0},
                         [](size_t sum, const Dfa& part) { return sum + part.bytes(); });
}

uint64_t Searcher::made() const noexcept {
  return std::accumulate(parts_.begin(), parts_.end(), made_before_,
                         [](uint64_t sum, const Dfa& part) { return sum + part.made(); });
}

}  // namespace kr::regex
