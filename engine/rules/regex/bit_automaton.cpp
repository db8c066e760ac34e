#include "regex/bit_automaton.hpp"

#include <algorithm>
#include <map>

#include "regex/dfa.hpp"

namespace kr::regex {

class BitAutomaton::Builder {
 public:
  Builder(const NfaUnion& all, uint32_t automaton)
      : all_(all),
        base_(all.first_state(automaton)),
        end_(all.ends[automaton]),
        walk_(base_, end_),
        place_of_(end_ - base_, 0) {}

  std::optional<BitAutomaton> build(uint32_t automaton) {
    BitAutomaton made;
    made.all_ = &all_;
    // The states of an expression are in reverse order.
    for (uint32_t index = end_; index-- > base_;) {
      if (all_.states[index].op != Nfa::Op::bytes) continue;
      place_of_[index - base_] = static_cast<uint32_t>(places_.size());
      places_.push_back(index);
    }
    made.words_ = places_.size() / 64 + 1;
    words_ = made.words_;
    made.places_.resize(words_);
    made.to_.resize(words_);
    for (const Side before : {nothing, word, other}) {
      for (const Side behind : {nothing, word, other}) {
        const size_t here = before * 3U + behind;
        if (made.between(before, behind) != here) continue;
        made.starts_[here] = start(all_.starts[automaton], before, behind);
        if (before != nothing) made.steps_[here] = steps(before, behind);
        if (walk_.visits() > max_visits()) return std::nullopt;
      }
    }
    find_reach(made);
    return made;
  }

 private:
  /// Proportional to the states, so that a byte costs only a few visits per state.
  size_t max_visits() const { return 1000 + size_t{64} * (end_ - base_); }

  static void set(Words& words, size_t place) { words[place / 64] |= uint64_t{1} << place % 64; }

  std::vector<Part> parts(const std::vector<uint32_t>& rising) const {
    std::vector<Part> parts;
    for (const uint32_t place : rising) {
      if (parts.empty() || parts.back().word != place / 64) parts.push_back({place / 64, 0});
      parts.back().bits |= uint64_t{1} << place % 64;
    }
    return parts;
  }

  /// The places that a state leads to without a byte, ascending; and whether it accepts.
  bool close(uint32_t from, Side before, Side behind, std::vector<uint32_t>& places) {
    bool accepts = false;
    places.clear();
    walk_.begin();
    walk_.from(all_, from, [&](uint32_t index, const NfaUnion::State& state) {
      if (state.op == Nfa::Op::bytes) places.push_back(place_of_[index - base_]);
      accepts = accepts || state.op == Nfa::Op::accept;
      return state.op == Nfa::Op::assertion && holds(state.assertion, before, behind);
    });
    std::ranges::sort(places);
    return accepts;
  }

  Start start(uint32_t state, Side before, Side behind) {
    Start start{Words(words_), false};
    std::vector<uint32_t> places;
    start.accepts = close(state, before, behind, places);
    for (const uint32_t place : places) set(start.places, place);
    return start;
  }

  Steps steps(Side before, Side behind) {
    Steps steps{Words(words_), Words(words_), {}, Words(words_)};
    std::map<std::vector<uint32_t>, std::vector<uint32_t>> jumps;  // from, by to
    std::vector<uint32_t> to;
    for (uint32_t place = 0; place < places_.size() && walk_.visits() <= max_visits(); ++place) {
      const NfaUnion::State& state = all_.states[places_[place]];
      if (close(state.next, before, behind, to)) set(steps.accepting, place);
      std::erase_if(to, [&](uint32_t one) {
        if (one == place) set(steps.stay, place);
        if (one == place + 1) set(steps.forward, place);
        return one == place || one == place + 1;
      });
      if (!to.empty()) jumps[to].push_back(place);
    }
    for (const auto& [targets, from] : jumps) steps.jumps.push_back({parts(from), parts(targets)});
    return steps;
  }

  void find_reach(BitAutomaton& made) const {
    std::map<Words, uint8_t> known;
    for (size_t byte_class = 0; byte_class < all_.side_of_class.size(); ++byte_class) {
      Words reach(words_);
      for (uint32_t place = 0; place < places_.size(); ++place) {
        const uint32_t of = all_.states[places_[place]].set;
        if (all_.sets[of].test(byte_class)) set(reach, place);
      }
      const auto [at, added] = known.emplace(reach, static_cast<uint8_t>(made.reach_.size()));
      if (added) made.reach_.push_back(std::move(reach));
      made.reach_of_[byte_class] = at->second;
    }
  }

  const NfaUnion& all_;
  uint32_t base_, end_;  // of its states
  NfaUnion::Walk walk_;
  std::vector<uint32_t> place_of_;  // by state
  std::vector<uint32_t> places_;    // states that read a byte
  size_t words_ = 0;
};

std::optional<BitAutomaton> BitAutomaton::build(const NfaUnion& all, uint32_t automaton) {
  return Builder(all, automaton).build(automaton);
}

/// Index into starts_ and steps_. Without \b and \B only the edges of the name matter.
size_t BitAutomaton::between(Side before, Side behind) const {
  if (!all_->edges) {
    before = before == nothing ? nothing : other;
    behind = behind == nothing ? nothing : other;
  }
  return before * 3U + behind;
}

bool BitAutomaton::step(const Steps& steps, const Start& start, const Words& reach) {
  uint64_t accepted = start.accepts ? 1 : 0;
  uint64_t carry = 0;
  for (size_t i = 0; i < words_; ++i) {
    const uint64_t now = places_[i];
    accepted |= now & steps.accepting[i];
    const uint64_t forward = now & steps.forward[i];
    to_[i] = forward << 1 | carry | (now & steps.stay[i]) | start.places[i];
    carry = forward >> 63;
  }
  if (accepted != 0) return false;
  for (const Jump& jump : steps.jumps) {
    const auto taken = [this](const Part& part) { return (places_[part.word] & part.bits) != 0; };
    if (std::ranges::none_of(jump.from, taken)) continue;
    for (const Part& part : jump.to) to_[part.word] |= part.bits;
  }
  for (size_t i = 0; i < words_; ++i) to_[i] &= reach[i];
  places_.swap(to_);
  return true;
}

bool BitAutomaton::search(std::string_view name) {
  std::ranges::fill(places_, 0);
  Side before = nothing;
  for (const char c : name) {
    const uint8_t byte_class = all_->class_of[static_cast<unsigned char>(c)];
    const Side behind = all_->side_of_class[byte_class];
    const size_t here = between(before, behind);
    const Words& reach = reach_[reach_of_[byte_class]];
    if (before == nothing) {
      if (starts_[here].accepts) return true;
      for (size_t i = 0; i < words_; ++i) places_[i] = starts_[here].places[i] & reach[i];
    } else if (!step(steps_[here], starts_[here], reach)) {
      return true;
    }
    before = behind;
  }
  const size_t here = between(before, nothing);
  if (starts_[here].accepts) return true;
  if (before == nothing) return false;
  const Words& accepting = steps_[here].accepting;
  for (size_t i = 0; i < words_; ++i) {
    if ((places_[i] & accepting[i]) != 0) return true;
  }
  return false;
}

}  // namespace kr::regex
