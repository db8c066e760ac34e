// Moves `^` and `$` from the middle of an expression to its edges, the only places where Hyperscan
// supports them.
//
// One pass moves `^`; the same pass over the reversed expression moves `$`. A match that uses no
// `^` may begin anywhere: it is a match of the expression without its `^` (`free`). A match that
// uses a
// `^` begins at the start of the name, and every `^` that it uses is before its first byte
// (`anchored`). The result is `^anchored|free`.
#include <algorithm>
#include <array>
#include <span>

#include "regex/empty_places.hpp"
#include "regex/regex.hpp"

namespace kr::regex {
namespace {

/// What may follow the start of a name that is not empty: one bit per side.
constexpr unsigned word_behind = 1;
constexpr unsigned other_behind = 2;
constexpr unsigned any_behind = word_behind | other_behind;

class AnchorMover {
 public:
  AnchorMover(const Regex& from, size_t budget) : from_(from), budget_(budget) {
    has_begin_.assign(from.nodes.size(), unknown);
  }

  /// `^anchored|free`; none if nothing matches. `from` has no empty matches.
  std::optional<Regex> move() {
    NodeId anchored = this->anchored(from_.root);
    const NodeId free = this->free(from_.root);
    if (anchored.valid()) {
      anchored = to_.add(NodeKind::sequence, {to_.nodes.add({.kind = NodeKind::begin}), anchored});
    }
    to_.root = to_.add_either(anchored, free);
    if (!to_.root.valid()) return std::nullopt;
    return std::move(to_);
  }
  /// Then the result is not usable.
  bool too_large() const { return steps() > budget_; }

 private:
  enum Known : char { unknown, no, yes };

  size_t steps() const { return steps_ + to_.nodes.size(); }

  bool has_begin(NodeId id) {
    Known& known = has_begin_[id.index];
    if (known == unknown) {
      const Node& node = from_.nodes.get(id);
      const bool found =
          node.kind == NodeKind::begin ||
          std::ranges::any_of(node.operands, [this](NodeId operand) { return has_begin(operand); });
      known = found ? yes : no;
    }
    return known == yes;
  }

  /// Where the node has an empty match at the start of a name, before a byte.
  unsigned empty_before_byte(NodeId id) const {
    const Places places = empty_places(from_, id);
    return ((places & place_bit(nothing, word)) != 0 ? word_behind : 0) |
           ((places & place_bit(nothing, other)) != 0 ? other_behind : 0);
  }

  /// `rest`, which matches at least one byte, if one of `sides` follows at the start of the name.
  NodeId guarded(unsigned sides, NodeId rest) {
    if (sides == any_behind) return rest;
    const NodeKind edge = sides == word_behind ? NodeKind::word_edge : NodeKind::not_word_edge;
    return to_.add(NodeKind::sequence, {to_.nodes.add({.kind = edge}), rest});
  }

  /// The matches that use no `^`; invalid if there are none.
  NodeId free(NodeId id) {
    const Node& node = from_.nodes.get(id);
    switch (node.kind) {
      case NodeKind::begin:
        return {};
      case NodeKind::sequence:
        return free(node.operands);
      case NodeKind::alternation: {
        std::vector<NodeId> operands;
        for (const NodeId operand : node.operands) {
          const NodeId rest = free(operand);
          if (rest.valid()) operands.push_back(rest);
        }
        return operands.empty() ? NodeId() : to_.add(NodeKind::alternation, std::move(operands));
      }
      case NodeKind::repeat: {
        if (node.max == 0) return to_.add(NodeKind::empty, {});
        const NodeId rest = free(node.operands.front());
        if (rest.valid()) return to_.add_repeat(rest, node.min, node.max);
        return node.min == 0 ? to_.add(NodeKind::empty, {}) : NodeId();
      }
      case NodeKind::group:
        return free(node.operands.front());
      default: {
        if (node.kind == NodeKind::bytes && node.set.none()) return {};
        return to_.nodes.add({.kind = node.kind, .set = node.set});
      }
    }
  }

  NodeId free(std::span<const NodeId> operands) {
    std::vector<NodeId> parts;
    for (const NodeId operand : operands) {
      const NodeId part = too_large() ? NodeId() : free(operand);
      if (!part.valid()) return {};
      parts.push_back(part);
    }
    return to_.add(NodeKind::sequence, std::move(parts));
  }

  /// The matches without `^` that have at least one byte.
  NodeId free_filled(std::span<const NodeId> operands) {
    AnchorMover apart(from_, budget_);
    apart.to_.root = apart.free(operands);
    steps_ += apart.steps();
    if (!apart.to_.root.valid()) return {};
    const auto filled = without_empty(apart.to_);
    return filled ? to_.add_copy(*filled, filled->root) : NodeId();
  }

  /// All matches with at least one byte that begin at the start of the name and use a `^`, and
  /// possibly others that begin there.
  NodeId anchored(NodeId id) {
    ++steps_;
    if (!has_begin(id) || too_large()) return {};
    const Node& node = from_.nodes.get(id);
    switch (node.kind) {
      case NodeKind::sequence:
        return anchored_sequence(node.operands);
      case NodeKind::alternation: {
        std::vector<NodeId> operands;
        for (const NodeId operand : node.operands) {
          const NodeId rest = anchored(operand);
          if (rest.valid()) operands.push_back(rest);
        }
        return operands.empty() ? NodeId() : to_.add(NodeKind::alternation, std::move(operands));
      }
      case NodeKind::repeat:
        return anchored_repeat(node);
      case NodeKind::group:
        return anchored(node.operands.front());
      default:
        return {};
    }
  }

  NodeId anchored_sequence(std::span<const NodeId> operands) {
    NodeId all;
    unsigned sides = any_behind;
    for (size_t i = 0; i < operands.size() && sides != 0; ++i) {
      const auto rest = operands.subspan(i + 1);
      const bool begins = has_begin(operands[i]);
      if (begins) {
        // The operands before match no byte; this one matches the first byte; the rest has no `^`.
        const NodeId first = anchored(operands[i]);
        const NodeId more = first.valid() ? free(rest) : NodeId();
        if (more.valid()) {
          all = to_.add_either(all, guarded(sides, to_.add(NodeKind::sequence, {first, more})));
        }
      }
      sides &= empty_before_byte(operands[i]);
      if (begins && sides != 0) {
        const NodeId more = free_filled(rest);
        if (more.valid()) all = to_.add_either(all, guarded(sides, more));
      }
    }
    return all;
  }

  NodeId anchored_repeat(const Node& node) {
    const NodeId operand = node.operands.front();
    if (node.max == 0) return {};
    // `first`, then up to `rounds` repeats without `^`, of which `least` are required.
    const auto followed = [&](NodeId first, int least, int rounds) {
      if (rounds == 0) return first;
      const NodeId round = free(operand);
      if (round.valid()) {
        return to_.add(NodeKind::sequence, {first, to_.add_repeat(round, least, rounds)});
      }
      return least == 0 ? first : NodeId();
    };
    const auto less = [&](int rounds) {
      return node.max == Node::unbounded ? node.max : std::max(node.max - rounds, 0);
    };
    NodeId all;
    if (const NodeId first = anchored(operand); first.valid()) {
      all = followed(first, std::max(node.min - 1, 0), less(1));
    }
    // Empty repeats before the first byte count towards the required number.
    const unsigned sides = empty_before_byte(operand);
    if (node.min < 2 || sides == 0) return all;
    if (const NodeId first = anchored(operand); first.valid()) {
      all = to_.add_either(all, guarded(sides, followed(first, 0, less(2))));
    }
    if (const NodeId first = free_filled({&operand, 1}); first.valid()) {
      all = to_.add_either(all, guarded(sides, followed(first, 0, less(2))));
    }
    return all;
  }

  const Regex& from_;
  size_t budget_;
  size_t steps_ = 0;
  Regex to_;
  std::vector<Known> has_begin_;
};

/// The expression that matches the reversed names.
Regex reversed(const Regex& regex) {
  Regex result;
  for (Node node : regex.nodes) {
    if (node.kind == NodeKind::sequence) std::ranges::reverse(node.operands);
    if (node.kind == NodeKind::begin) {
      node.kind = NodeKind::end;
    } else if (node.kind == NodeKind::end) {
      node.kind = NodeKind::begin;
    }
    result.nodes.add(std::move(node));
  }
  result.root = regex.root;
  return result;
}

/// Whether every `edge` in it is where a match of the whole begins (`^`) or ends (`$`).
bool only_at_edge(const Regex& regex, NodeId id, NodeKind edge, bool at_edge) {
  const Node& node = regex.nodes.get(id);
  if (node.kind == edge) return at_edge;
  const bool through = node.kind == NodeKind::group || node.kind == NodeKind::alternation;
  for (size_t i = 0; i < node.operands.size(); ++i) {
    const size_t outermost = edge == NodeKind::begin ? 0 : node.operands.size() - 1;
    const bool here = through || (node.kind == NodeKind::sequence && i == outermost);
    if (!only_at_edge(regex, node.operands[i], edge, at_edge && here)) return false;
  }
  return true;
}

}  // namespace

bool anchored_at_edges(const Regex& regex) {
  return only_at_edge(regex, regex.root, NodeKind::begin, true) &&
         only_at_edge(regex, regex.root, NodeKind::end, true);
}

std::optional<Regex> to_edges(const Regex& regex) {
  std::optional<Regex> filled = without_empty(regex);
  if (!filled) return std::nullopt;
  // A sequence of optional parts with anchors multiplies the cases.
  const size_t budget = 1000 + 16 * filled->nodes.size();
  std::optional<Regex> moved = filled;
  for (int pass = 0; pass < 2 && moved; ++pass) {
    AnchorMover mover(*moved, budget);
    std::optional<Regex> next = mover.move();
    if (mover.too_large()) return filled;
    moved = next ? std::optional(reversed(*next)) : std::nullopt;
  }
  return moved;
}

}  // namespace kr::regex
