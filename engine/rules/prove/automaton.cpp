#include "prove/automaton.hpp"

#include <algorithm>
#include <numeric>

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

std::vector<regex::Nfa> automata_of(const Formulas& formulas) {
  std::vector<regex::Nfa> automata;
  for (uint32_t i = 0; i < formulas.languages(); ++i) automata.emplace_back(formulas.language({i}));
  return automata;
}

}  // namespace

bool reads_better(std::string_view name, std::string_view other) {
  return std::lexicographical_compare(name.begin(), name.end(), other.begin(), other.end(),
                                      [](char a, char b) {
                                        return reading_cost(static_cast<unsigned char>(a)) <
                                               reading_cost(static_cast<unsigned char>(b));
                                      });
}

Automaton::Automaton(const Formulas& formulas) : all_(automata_of(formulas)) {
  order_classes();
  list_states();
  list_arrivals();
  list_beginnings();
}

void Automaton::order_classes() {
  std::vector<int> best(all_.side_of_class.size(), -1);
  for (int byte = 0; byte < 256; ++byte) {
    int& one = best[all_.class_of[static_cast<size_t>(byte)]];
    if (one < 0 || reading_cost(static_cast<unsigned char>(byte)) <
                       reading_cost(static_cast<unsigned char>(one))) {
      one = byte;
    }
  }
  representative_.assign(best.begin(), best.end());
  by_reading_.resize(classes());
  std::iota(by_reading_.begin(), by_reading_.end(), size_t{0});
  std::ranges::sort(by_reading_, {},
                    [this](size_t one) { return reading_cost(representative_[one]); });
}

// Only the start, and the states after a byte, become states; their ways cover those between.
void Automaton::list_states() {
  constexpr uint32_t none = ~uint32_t{0};
  std::vector<uint32_t> numbers(all_.states.size(), none);
  regex::NfaUnion::Walk walk(0, static_cast<uint32_t>(numbers.size()));
  const auto add_way = [&](uint32_t start, Side before, Side behind) {
    Way way;
    way.begin = static_cast<uint32_t>(edges_of_.size());
    walk.begin();
    walk.from(all_, start, [&](uint32_t, const regex::NfaUnion::State& state) {
      if (state.op == regex::Nfa::Op::bytes) edges_of_.push_back({state.set, numbers[state.next]});
      way.accepts |= state.op == regex::Nfa::Op::accept;
      return state.op == regex::Nfa::Op::assertion && regex::holds(state.assertion, before, behind);
    });
    way.end = static_cast<uint32_t>(edges_of_.size());
    ways_.push_back(way);
    return static_cast<uint32_t>(ways_.size() - 1);
  };
  for (uint32_t language = 0; language < all_.automata(); ++language) {
    first_.push_back(static_cast<uint32_t>(language_.size()));
    std::vector<uint32_t> own;
    const auto enumerate = [&](uint32_t state) {
      if (numbers[state] != none) return;
      own.push_back(state);
      numbers[state] = first_.back() + static_cast<uint32_t>(own.size());
    };
    enumerate(all_.starts[language]);
    bool assertions = false;
    bool edges = false;
    for (uint32_t i = all_.first_state(language); i < all_.ends[language]; ++i) {
      const regex::NfaUnion::State& state = all_.states[i];
      if (state.op == regex::Nfa::Op::bytes) enumerate(state.next);
      if (state.op != regex::Nfa::Op::assertion) continue;
      assertions = true;
      edges |= regex::is_word_edge(state.assertion);
    }
    start_.push_back(numbers[all_.starts[language]]);
    edges_.push_back(edges ? 1 : 0);
    language_.insert(language_.end(), own.size() + 1, language);
    by_state_.emplace_back();  // "matched" has no transitions
    for (const uint32_t state : own) {
      Ways ways{};
      if (!assertions) ways.way.fill(add_way(state, Side::nothing, Side::nothing));
      for (size_t pair = 0; assertions && pair < ways.way.size(); ++pair) {
        ways.way[pair] = add_way(state, sides[pair / 3], sides[pair % 3]);
      }
      by_state_.push_back(ways);
    }
  }
  first_.push_back(static_cast<uint32_t>(language_.size()));
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
        const Way& from = way(start_[language], before, all_.side_of_class[c]);
        for (uint32_t e = from.begin; e < from.end; ++e) {
          const Edge& edge = edges_of_[e];
          if (all_.sets[edge.set].test(c))
            by_class[c].push_back(arrived(edge.target, all_.side_of_class[c]));
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
  const Side behind = all_.side_of_class[byte_class];
  const size_t pair = pair_of(before, behind);
  const std::vector<uint32_t>& arrived = arrived_[static_cast<size_t>(behind)];
  for (const uint32_t state : from) {
    const Way& way = ways_[by_state_[state].way[pair]];
    if (way.accepts) return false;
    for (uint32_t e = way.begin; e < way.end; ++e) {
      const Edge& edge = edges_of_[e];
      if (!all_.sets[edge.set].test(byte_class)) continue;
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
  const Side behind = all_.side_of_class[byte_class];
  for (const uint32_t state : from) {
    if (is_matched(state)) {
      to.push_back(state);
      continue;
    }
    const Way& from_here = way(state, before, behind);
    if (from_here.accepts) to.push_back(matched(language_[state]));
    for (uint32_t e = from_here.begin; e < from_here.end; ++e) {
      const Edge& edge = edges_of_[e];
      if (all_.sets[edge.set].test(byte_class)) to.push_back(arrived(edge.target, behind));
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
    const size_t byte_class = all_.class_of[static_cast<unsigned char>(byte)];
    step(now, before, byte_class, active, next);
    now.swap(next);
    before = all_.side_of_class[byte_class];
  }
  std::vector<uint32_t> matched;
  matched_at_end(now, before, active, matched);
  std::vector<char> result(languages(), 0);
  for (const uint32_t language : matched) result[language] = 1;
  return result;
}

}  // namespace kr::prove
