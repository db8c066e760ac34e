// Thompson's construction, and simulation by sets of states.
#include "regex/nfa.hpp"

#include <limits>

#include "regex/empty_places.hpp"

namespace kr::regex {

// Built from the end: the state that follows a piece always exists before the piece.
class NfaBuilder {
 public:
  NfaBuilder(const Regex& regex, Nfa& nfa) : regex_(regex), nfa_(nfa) {}

  void build() {
    const uint32_t accept = add({Nfa::Op::accept, NodeKind::empty, 0, 0, 0});
    nfa_.start_ = piece(regex_.root, accept);
  }

 private:
  uint32_t add(Nfa::State state) {
    nfa_.states_.push_back(state);
    return static_cast<uint32_t>(nfa_.states_.size() - 1);
  }

  uint32_t split(uint32_t next, uint32_t other) {
    return add({Nfa::Op::split, NodeKind::empty, 0, next, other});
  }

  /// The index of the node's set: one per node, even if the node is copied.
  uint32_t set_of(NodeId id) {
    if (set_of_node_.empty()) set_of_node_.assign(regex_.nodes.size(), none);
    uint32_t& index = set_of_node_[id.index];
    if (index == none) {
      index = static_cast<uint32_t>(nfa_.sets_.size());
      nfa_.sets_.push_back(regex_.nodes.get(id).set);
    }
    return index;
  }

  uint32_t piece(NodeId id, uint32_t next) {
    const Node& node = regex_.nodes.get(id);
    switch (node.kind) {
      case NodeKind::empty:
        return next;
      case NodeKind::bytes:
        return add({Nfa::Op::bytes, NodeKind::empty, set_of(id), next, 0});
      case NodeKind::sequence:
        for (size_t i = node.operands.size(); i-- > 0;) next = piece(node.operands[i], next);
        return next;
      case NodeKind::alternation: {
        uint32_t start = piece(node.operands.back(), next);
        for (size_t i = node.operands.size() - 1; i-- > 0;) {
          start = split(piece(node.operands[i], next), start);
        }
        return start;
      }
      case NodeKind::repeat:
        return repeat(node, next);
      case NodeKind::group:
        return piece(node.operands.front(), next);
      case NodeKind::begin:
      case NodeKind::end:
      case NodeKind::word_edge:
      case NodeKind::not_word_edge:
        return add({Nfa::Op::assertion, node.kind, 0, next, 0});
    }
    return next;
  }

  uint32_t repeat(const Node& node, uint32_t next) {
    const NodeId operand = node.operands.front();
    int copies = node.min;
    if (node.max == Node::unbounded) {
      // The loop is the last required repeat, or a separate one if none is required.
      const uint32_t loop = split(0, next);
      const uint32_t round = piece(operand, loop);
      nfa_.states_[loop].next = round;
      next = node.min == 0 ? loop : round;
      copies = node.min - 1;
    } else {
      const uint32_t out = next;
      for (int i = node.min; i < node.max; ++i) next = split(piece(operand, next), out);
    }
    for (int i = 0; i < copies; ++i) next = piece(operand, next);
    return next;
  }

  static constexpr uint32_t none = std::numeric_limits<uint32_t>::max();
  const Regex& regex_;
  Nfa& nfa_;
  std::vector<uint32_t> set_of_node_;
};

Nfa::Nfa(const Regex& regex) {
  NfaBuilder(regex, *this).build();
}

void Nfa::Scratch::size_to(size_t states) {
  if (seen.size() < states) seen.resize(states, 0);
  now.clear();
  next.clear();
  pending.clear();
}

bool Nfa::enter(uint32_t from, size_t begin, std::string_view name, size_t at,
                Scratch& scratch) const {
  bool accepted = false;
  scratch.pending.push_back(from);
  while (!scratch.pending.empty()) {
    const uint32_t index = scratch.pending.back();
    scratch.pending.pop_back();
    if (scratch.seen[index] == scratch.step) continue;
    scratch.seen[index] = scratch.step;
    const State& state = states_[index];
    switch (state.op) {
      case Op::bytes:
        scratch.next.push_back({index, begin});
        break;
      case Op::split:
        scratch.pending.push_back(state.other);
        scratch.pending.push_back(state.next);
        break;
      case Op::assertion: {
        const Side before = at == 0 ? nothing : side_of(name[at - 1]);
        const Side behind = at == name.size() ? nothing : side_of(name[at]);
        if (holds(state.assertion, before, behind)) scratch.pending.push_back(state.next);
        break;
      }
      case Op::accept:
        accepted = true;
        break;
    }
  }
  return accepted;
}

bool Nfa::search(std::string_view name) const {
  Scratch scratch;
  return search(name, scratch);
}

bool Nfa::search(std::string_view name, Scratch& scratch) const {
  return find(name, 0, true, scratch).has_value();
}

// Threads are in the order in which their matches began: if two reach one state, the leftmost
// stays.
std::optional<Match> Nfa::find(std::string_view name, size_t from, bool any,
                               Scratch& scratch) const {
  scratch.size_to(states_.size());
  std::optional<Match> best;
  const auto accept = [&best](size_t begin, size_t end) {
    if (!best || begin <= best->first) best = Match{begin, end};
  };
  ++scratch.step;
  if (enter(start_, from, name, from, scratch)) accept(from, from);
  for (size_t at = from; at < name.size(); ++at) {
    scratch.now.swap(scratch.next);
    scratch.next.clear();
    if (best && (any || scratch.now.empty())) break;
    ++scratch.step;
    const auto byte = static_cast<unsigned char>(name[at]);
    for (const Scratch::Thread thread : scratch.now) {
      if (best && thread.begin > best->first) break;
      const State& state = states_[thread.state];
      if (!sets_[state.set].test(byte)) continue;
      if (enter(state.next, thread.begin, name, at + 1, scratch)) accept(thread.begin, at + 1);
    }
    if (!best && enter(start_, at + 1, name, at + 1, scratch)) accept(at + 1, at + 1);
  }
  return best;
}

std::optional<Match> Nfa::find(std::string_view name) const {
  Scratch scratch;
  return find(name, 0, false, scratch);
}

std::vector<Match> Nfa::find_all(std::string_view name) const {
  std::vector<Match> matches;
  Scratch scratch;
  size_t from = 0;
  while (from <= name.size()) {
    const std::optional<Match> match = find(name, from, false, scratch);
    if (!match) break;
    matches.push_back(*match);
    from = match->second > match->first ? match->second : match->second + 1;
  }
  return matches;
}

}  // namespace kr::regex
