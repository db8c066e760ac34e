// Empty matches, which Hyperscan cannot find: where a Regex has them, and the Regex without them.
#include <algorithm>
#include <span>

#include "regex/empty_places.hpp"
#include "regex/regex.hpp"

namespace kr::regex {
namespace {

constexpr Places places_where(NodeKind assertion) {
  unsigned places = 0;
  for (const Side before : {nothing, word, other}) {
    for (const Side behind : {nothing, word, other}) {
      if (holds(assertion, before, behind)) places |= place_bit(before, behind);
    }
  }
  return static_cast<Places>(places);
}

}  // namespace

Places empty_places(const Regex& regex, NodeId id) {
  const Node& node = regex.nodes.get(id);
  switch (node.kind) {
    case NodeKind::empty:
      return all_places;
    case NodeKind::bytes:
      return 0;
    case NodeKind::sequence: {
      unsigned places = all_places;
      for (const NodeId operand : node.operands) places &= empty_places(regex, operand);
      return static_cast<Places>(places);
    }
    case NodeKind::alternation: {
      unsigned places = 0;
      for (const NodeId operand : node.operands) places |= empty_places(regex, operand);
      return static_cast<Places>(places);
    }
    case NodeKind::repeat:
      return node.min == 0 ? all_places : empty_places(regex, node.operands.front());
    case NodeKind::group:
      return empty_places(regex, node.operands.front());
    case NodeKind::begin:
    case NodeKind::end:
    case NodeKind::word_edge:
    case NodeKind::not_word_edge:
      return places_where(node.kind);
  }
  return 0;
}

Places empty_places(const Regex& regex) {
  return empty_places(regex, regex.root);
}

namespace {

/// Builds the expression without empty matches.
class Remover {
 public:
  explicit Remover(const Regex& from) : from_(from) {}

  std::optional<Regex> remove() && {
    const NodeId root = filled(from_.root);
    if (!root.valid()) return std::nullopt;
    to_.root = root;
    return std::move(to_);
  }

 private:
  /// The node without named groups.
  NodeId copy(NodeId id) {
    const Node& node = from_.nodes.get(id);
    if (node.kind == NodeKind::group) return copy(node.operands.front());
    Node copied{.kind = node.kind, .set = node.set, .min = node.min, .max = node.max};
    for (const NodeId operand : node.operands) copied.operands.push_back(copy(operand));
    return to_.nodes.add(std::move(copied));
  }

  /// The node's matches of at least one byte; invalid if there are none.
  NodeId filled(NodeId id) {
    const Node& node = from_.nodes.get(id);
    switch (node.kind) {
      case NodeKind::bytes:
        return node.set.none() ? NodeId() : copy(id);
      case NodeKind::sequence:
        if (empty_places(from_, id) == 0) return copy(id);
        return filled_sequence(node.operands);
      case NodeKind::alternation: {
        std::vector<NodeId> operands;
        for (const NodeId operand : node.operands) {
          const NodeId rest = filled(operand);
          if (rest.valid()) operands.push_back(rest);
        }
        return operands.empty() ? NodeId() : to_.add(NodeKind::alternation, std::move(operands));
      }
      case NodeKind::repeat:
        return filled_repeat(node.operands.front(), node.min, node.max);
      case NodeKind::group:
        return filled(node.operands.front());
      case NodeKind::empty:
      case NodeKind::begin:
      case NodeKind::end:
      case NodeKind::word_edge:
      case NodeKind::not_word_edge:
        return {};
    }
    return {};
  }

  /// AB matches a byte if A or B does. Splitting into halves keeps the result small.
  NodeId filled_sequence(std::span<const NodeId> operands) {
    if (operands.size() == 1) return filled(operands.front());
    const auto first = operands.first(operands.size() / 2);
    const auto second = operands.subspan(first.size());
    NodeId a = filled_sequence(first);
    if (a.valid()) a = to_.add(NodeKind::sequence, {a, copy_sequence(second)});
    NodeId b = filled_sequence(second);
    if (b.valid()) b = to_.add(NodeKind::sequence, {copy_sequence(first), b});
    return to_.add_either(a, b);
  }

  NodeId copy_sequence(std::span<const NodeId> operands) {
    std::vector<NodeId> copies;
    copies.reserve(operands.size());
    for (const NodeId operand : operands) copies.push_back(copy(operand));
    return to_.add(NodeKind::sequence, std::move(copies));
  }

  NodeId filled_repeat(NodeId operand, int min, int max) {
    if (max == 0) return {};
    const Places places = empty_places(from_, operand);
    // Empty repeats can be omitted if none is required, if one repeat with a byte is enough, or if
    // an empty repeat is possible anywhere.
    const int least = places == 0 ? std::max(min, 1) : 1;
    if (places == 0 || places == all_places || min <= 1) {
      const NodeId rest = filled(operand);
      return rest.valid() ? to_.add_repeat(rest, least, max) : NodeId();
    }
    const int half = min / 2;
    const int left = max == Node::unbounded ? max : max - half;
    NodeId a = filled_repeat(operand, half, half);
    if (a.valid()) {
      a = to_.add(NodeKind::sequence, {a, to_.add_repeat(copy(operand), min - half, left)});
    }
    NodeId b = filled_repeat(operand, min - half, left);
    if (b.valid()) b = to_.add(NodeKind::sequence, {to_.add_repeat(copy(operand), half, half), b});
    return to_.add_either(a, b);
  }

  const Regex& from_;
  Regex to_;
};

}  // namespace

Places places_of(std::string_view name) {
  unsigned places = 0;
  Side before = nothing;
  for (const char byte : name) {
    const Side behind = side_of(byte);
    places |= place_bit(before, behind);
    before = behind;
  }
  return static_cast<Places>(places | place_bit(before, nothing));
}

Vacuity vacuity(Places empty) {
  if (empty == 0) return Vacuity::never;
  if (empty == empty_name_place) return Vacuity::empty_name;
  // If some name has none of the places, then so has a name of at most two bytes: the kinds of its
  // first and last byte.
  static constexpr std::string_view names[] = {"", "a", "-", "aa", "a-", "-a", "--"};
  const bool every = std::ranges::all_of(
      names, [empty](std::string_view name) { return (places_of(name) & empty) != 0; });
  return every ? Vacuity::always : Vacuity::sometimes;
}

std::optional<Regex> without_empty(const Regex& regex) {
  return Remover(regex).remove();
}

}  // namespace kr::regex
