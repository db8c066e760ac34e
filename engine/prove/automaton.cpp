#include "prove/automaton.hpp"

#include <algorithm>
#include <unordered_set>

#include "regex/byte_set.hpp"

namespace kr::prove {
namespace {

constexpr std::array<Side, 3> sides{Side::nothing, Side::word, Side::other};

size_t pair_of(Side before, Side behind) {
  return static_cast<size_t>(before) * 3 + static_cast<size_t>(behind);
}

/// Smaller for bytes that are easier to read in an example.
int reading_cost(unsigned char byte) {
  if (byte >= 'a' && byte <= 'z') return byte - 'a';
  if (byte == '_') return 30;
  if (byte >= '0' && byte <= '9') return 40 + byte - '0';
  if (byte >= 'A' && byte <= 'Z') return 60 + byte - 'A';
  if (byte == ' ') return 100;
  if (byte > ' ' && byte < 0x7f) return 110 + byte;
  return 300 + byte;
}

}  // namespace

bool reads_better(std::string_view name, std::string_view other) {
  return std::lexicographical_compare(name.begin(), name.end(), other.begin(), other.end(),
                                      [](char a, char b) {
                                        return reading_cost(static_cast<unsigned char>(a)) <
                                               reading_cost(static_cast<unsigned char>(b));
                                      });
}

Automaton::Automaton(const Formulas& formulas) {
  std::vector<regex::Nfa> automata;
  for (uint32_t i = 0; i < formulas.languages(); ++i) automata.emplace_back(formulas.language({i}));
  find_classes(automata);
  for (const regex::Nfa& automaton : automata) add(automaton);
  first_.push_back(static_cast<uint32_t>(language_.size()));
  list_arrivals();
  list_beginnings();
}

// Two bytes are in one class if they are in the same sets. Word bytes and other bytes are
// distinguished only if a language has word boundaries.
void Automaton::find_classes(const std::vector<regex::Nfa>& automata) {
  std::unordered_set<regex::ByteSet> sets;
  bool edges = false;
  for (const regex::Nfa& automaton : automata) {
    sets.insert(automaton.sets().begin(), automaton.sets().end());
    for (const auto& state : automaton.table()) {
      edges |= state.op == regex::Nfa::Op::assertion && regex::is_word_edge(state.assertion);
    }
  }
  if (edges) sets.insert(regex::escaped_set('w'));
  const auto [part, parts] = regex::partition_bytes(sets);
  std::vector<int> best(parts, -1);
  for (int byte = 0; byte < 256; ++byte) {
    int& one = best[part[static_cast<size_t>(byte)]];
    if (one < 0 || reading_cost(static_cast<unsigned char>(byte)) <
                       reading_cost(static_cast<unsigned char>(one))) {
      one = byte;
    }
  }
  std::ranges::sort(best, [](int a, int b) {
    return reading_cost(static_cast<unsigned char>(a)) <
           reading_cost(static_cast<unsigned char>(b));
  });
  std::vector<uint8_t> class_of_part(parts);
  for (size_t i = 0; i < best.size(); ++i) {
    const auto byte = static_cast<unsigned char>(best[i]);
    representative_.push_back(byte);
    side_.push_back(regex::is_word(byte) ? Side::word : Side::other);
    class_of_part[part[byte]] = static_cast<uint8_t>(i);
  }
  for (size_t byte = 0; byte < 256; ++byte) class_of_[byte] = class_of_part[part[byte]];
}

void Automaton::add(const regex::Nfa& automaton) {
  const auto& table = automaton.table();
  const auto language = static_cast<uint32_t>(first_.size());
  Numbers numbers;
  for (const regex::ByteSet& set : automaton.sets()) {
    const auto [at, added] = known_sets_.emplace(set, static_cast<uint32_t>(sets_.size()));
    numbers.of_set.push_back(at->second);
    if (!added) continue;
    Classes classes;
    for (size_t byte = 0; byte < 256; ++byte) {
      if (set.test(byte)) classes.set(class_of_[byte]);
    }
    sets_.push_back(classes);
  }
  // Only the start, and the states after a byte, become states; the closure covers those between.
  constexpr uint32_t none = ~uint32_t{0};
  numbers.of_state.assign(table.size(), none);
  first_.push_back(static_cast<uint32_t>(language_.size()));
  std::vector<uint32_t> own;
  const auto enumerate = [&](uint32_t state) {
    if (numbers.of_state[state] != none) return;
    own.push_back(state);
    numbers.of_state[state] = first_.back() + static_cast<uint32_t>(own.size());
  };
  enumerate(automaton.start());
  bool assertions = false;
  bool edges = false;
  for (const auto& state : table) {
    if (state.op == regex::Nfa::Op::bytes) enumerate(state.next);
    if (state.op != regex::Nfa::Op::assertion) continue;
    assertions = true;
    edges |= regex::is_word_edge(state.assertion);
  }
  start_.push_back(numbers.of_state[automaton.start()]);
  edges_.push_back(edges ? 1 : 0);
  language_.insert(language_.end(), own.size() + 1, language);
  by_state_.emplace_back();  // "matched" has no transitions
  marks_.assign(table.size(), 0);
  mark_ = 0;
  const auto add_way = [&](uint32_t state, Side before, Side behind) {
    ways_.push_back(closure(automaton, state, before, behind, numbers));
    return static_cast<uint32_t>(ways_.size() - 1);
  };
  for (const uint32_t state : own) {
    Ways ways{};
    if (!assertions) ways.way.fill(add_way(state, Side::nothing, Side::nothing));
    for (size_t pair = 0; assertions && pair < ways.way.size(); ++pair) {
      ways.way[pair] = add_way(state, sides[pair / 3], sides[pair % 3]);
    }
    by_state_.push_back(ways);
  }
}

Automaton::Way Automaton::closure(const regex::Nfa& automaton, uint32_t start, Side before,
                                  Side behind, const Numbers& numbers) {
  Way way;
  way.begin = static_cast<uint32_t>(edges_of_.size());
  ++mark_;
  std::vector<uint32_t> pending{start};
  while (!pending.empty()) {
    const uint32_t index = pending.back();
    pending.pop_back();
    if (marks_[index] == mark_) continue;
    marks_[index] = mark_;
    const auto& state = automaton.table()[index];
    switch (state.op) {
      case regex::Nfa::Op::bytes:
        edges_of_.push_back({numbers.of_set[state.set], numbers.of_state[state.next]});
        break;
      case regex::Nfa::Op::split:
        pending.push_back(state.other);
        pending.push_back(state.next);
        break;
      case regex::Nfa::Op::assertion:
        if (regex::holds(state.assertion, before, behind)) pending.push_back(state.next);
        break;
      case regex::Nfa::Op::accept:
        way.accepts = true;
        break;
    }
  }
  way.end = static_cast<uint32_t>(edges_of_.size());
  return way;
}

void Automaton::list_arrivals() {
  for (const Side before : sides) {
    std::vector<uint32_t>& arrived = arrived_[static_cast<size_t>(before)];
    arrived.resize(language_.size());
    for (uint32_t state = 0; state < arrived.size(); ++state) {
      const bool accepted = is_matched(state) || std::ranges::all_of(sides, [&](Side behind) {
                              return way(state, before, behind).accepts;
                            });
      arrived[state] = accepted ? matched(language_[state]) : state;
    }
  }
}

void Automaton::list_beginnings() {
  for (const Side before : sides) {
    auto& by_class = beginnings_[static_cast<size_t>(before)];
    by_class.resize(classes());
    for (uint32_t language = 0; language < languages(); ++language) {
      for (size_t c = 0; c < classes(); ++c) {
        const Way& from = way(start_[language], before, side_[c]);
        for (uint32_t e = from.begin; e < from.end; ++e) {
          const Edge& edge = edges_of_[e];
          if (sets_[edge.set].test(c)) by_class[c].push_back(arrived(edge.target, side_[c]));
        }
      }
      for (const Side behind : sides) {
        if (way(start_[language], before, behind).accepts) {
          empty_[pair_of(before, behind)].push_back(language);
        }
      }
    }
  }
}

bool Automaton::step_unmatched(const States& from, Side before, size_t byte_class,
                               States& to) const {
  const Side behind = side_[byte_class];
  const size_t pair = pair_of(before, behind);
  const std::vector<uint32_t>& arrived = arrived_[static_cast<size_t>(behind)];
  for (const uint32_t state : from) {
    const Way& way = ways_[by_state_[state].way[pair]];
    if (way.accepts) return false;
    for (uint32_t e = way.begin; e < way.end; ++e) {
      const Edge& edge = edges_of_[e];
      if (!sets_[edge.set].test(byte_class)) continue;
      const uint32_t target = arrived[edge.target];
      if (target != edge.target) return false;
      to.push_back(target);
    }
  }
  return true;
}

void Automaton::step(const States& from, Side before, size_t byte_class,
                     const std::vector<char>& active, States& to) const {
  to.clear();
  const Side behind = side_[byte_class];
  for (const uint32_t state : from) {
    if (is_matched(state)) {
      to.push_back(state);
      continue;
    }
    const Way& from_here = way(state, before, behind);
    if (from_here.accepts) to.push_back(matched(language_[state]));
    for (uint32_t e = from_here.begin; e < from_here.end; ++e) {
      const Edge& edge = edges_of_[e];
      if (sets_[edge.set].test(byte_class)) to.push_back(arrived(edge.target, behind));
    }
  }
  for (const uint32_t state : beginnings_[static_cast<size_t>(before)][byte_class]) {
    if (active[language_[state]] != 0) to.push_back(state);
  }
  for (const uint32_t language : empty_[pair_of(before, behind)]) {
    if (active[language] != 0) to.push_back(matched(language));
  }
  std::ranges::sort(to);
  // Remove duplicates, and all other states of a language that has matched.
  size_t kept = 0;
  for (const uint32_t state : to) {
    if (kept > 0) {
      const uint32_t last = to[kept - 1];
      if (last == state || (is_matched(last) && language_[last] == language_[state])) continue;
    }
    to[kept++] = state;
  }
  to.resize(kept);
}

void Automaton::matched_at_end(const States& from, Side before, const std::vector<char>& active,
                               std::vector<uint32_t>& languages) const {
  languages.clear();
  for (const uint32_t state : from) {
    if (is_matched(state) || way(state, before, Side::nothing).accepts) {
      languages.push_back(language_[state]);
    }
  }
  for (const uint32_t language : empty_[pair_of(before, Side::nothing)]) {
    if (active[language] != 0) languages.push_back(language);
  }
  std::ranges::sort(languages);
  languages.erase(std::unique(languages.begin(), languages.end()), languages.end());
}

std::vector<char> Automaton::matched_in(std::string_view name) const {
  const std::vector<char> active(languages(), 1);
  States now;
  States next;
  Side before = Side::nothing;
  for (const char byte : name) {
    const size_t byte_class = class_of_[static_cast<unsigned char>(byte)];
    step(now, before, byte_class, active, next);
    now.swap(next);
    before = side_[byte_class];
  }
  std::vector<uint32_t> matched;
  matched_at_end(now, before, active, matched);
  std::vector<char> result(languages(), 0);
  for (const uint32_t language : matched) result[language] = 1;
  return result;
}

}  // namespace kr::prove
