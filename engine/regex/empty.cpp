// Empty matches, which Hyperscan can't be asked for: where a Regex has them, and what is left of it
// without them.
#include <algorithm>
#include <span>

#include "regex/byte_set.hpp"
#include "regex/empty_places.hpp"
#include "regex/regex.hpp"

namespace kr::regex {
namespace {

constexpr uint16_t places_where(NodeKind assertion) {
  unsigned places = 0;
  for (const Side before : {nothing, word, other}) {
    for (const Side behind : {nothing, word, other}) {
      if (holds(assertion, before, behind)) places |= place_bit(before, behind);
    }
  }
  return static_cast<uint16_t>(places);
}

}  // namespace

uint16_t empty_places(const Regex& regex, NodeId id) {
  const Node& node = regex.nodes.get(id);
  switch (node.kind) {
    case NodeKind::empty:
      return all_places;
    case NodeKind::bytes:
      return 0;
    case NodeKind::sequence: {
      unsigned places = all_places;
      for (const NodeId operand : node.operands) places &= empty_places(regex, operand);
      return static_cast<uint16_t>(places);
    }
    case NodeKind::alternation: {
      unsigned places = 0;
      for (const NodeId operand : node.operands) places |= empty_places(regex, operand);
      return static_cast<uint16_t>(places);
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

namespace {

Side side_of(char byte) {
  return is_word(static_cast<unsigned char>(byte)) ? word : other;
}

/// Builds the expression without empty matches, in an arena of its own.
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
  NodeId add(NodeKind kind, std::vector<NodeId> operands) {
    if (operands.size() == 1) return operands.front();
    Node node;
    node.kind = operands.empty() ? NodeKind::empty : kind;
    node.operands = std::move(operands);
    return to_.nodes.add(std::move(node));
  }

  NodeId repeat(NodeId operand, int min, int max) {
    if (min == 1 && max == 1) return operand;
    Node node;
    node.kind = NodeKind::repeat;
    node.min = min;
    node.max = max;
    node.operands = {operand};
    return to_.nodes.add(std::move(node));
  }

  NodeId either(NodeId a, NodeId b) {
    if (!a.valid()) return b;
    if (!b.valid()) return a;
    return add(NodeKind::alternation, {a, b});
  }

  /// The node as it is; groups hold nothing any more.
  NodeId copy(NodeId id) {
    const Node& node = from_.nodes.get(id);
    if (node.kind == NodeKind::group) return copy(node.operands.front());
    Node copied;
    copied.kind = node.kind;
    copied.set = node.set;
    copied.min = node.min;
    copied.max = node.max;
    for (const NodeId operand : node.operands) copied.operands.push_back(copy(operand));
    return to_.nodes.add(std::move(copied));
  }

  /// The node's matches of at least one byte; invalid when there are none.
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
        return operands.empty() ? NodeId() : add(NodeKind::alternation, std::move(operands));
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

  /// AB has a byte when A has one or B has one. Halving keeps the result small.
  NodeId filled_sequence(std::span<const NodeId> operands) {
    if (operands.size() == 1) return filled(operands.front());
    const auto first = operands.first(operands.size() / 2);
    const auto second = operands.subspan(first.size());
    NodeId a = filled_sequence(first);
    if (a.valid()) a = add(NodeKind::sequence, {a, copy_sequence(second)});
    NodeId b = filled_sequence(second);
    if (b.valid()) b = add(NodeKind::sequence, {copy_sequence(first), b});
    return either(a, b);
  }

  NodeId copy_sequence(std::span<const NodeId> operands) {
    std::vector<NodeId> copies;
    copies.reserve(operands.size());
    for (const NodeId operand : operands) copies.push_back(copy(operand));
    return add(NodeKind::sequence, std::move(copies));
  }

  NodeId filled_repeat(NodeId operand, int min, int max) {
    if (max == 0) return {};
    const uint16_t places = empty_places(from_, operand);
    // Empty rounds can be left out when none is needed, when one round with a byte is enough, or
    // when there can be one anywhere to make up the number.
    const int least = places == 0 ? std::max(min, 1) : 1;
    if (places == 0 || places == all_places || min <= 1) {
      const NodeId rest = filled(operand);
      return rest.valid() ? repeat(rest, least, max) : NodeId();
    }
    const int half = min / 2;
    const int left = max == Node::unbounded ? max : max - half;
    NodeId a = filled_repeat(operand, half, half);
    if (a.valid()) {
      a = add(NodeKind::sequence, {a, repeat(copy(operand), min - half, left)});
    }
    NodeId b = filled_repeat(operand, min - half, left);
    if (b.valid()) b = add(NodeKind::sequence, {repeat(copy(operand), half, half), b});
    return either(a, b);
  }

  const Regex& from_;
  Regex to_;
};

}  // namespace

EmptyMatches::EmptyMatches(const Regex& regex) : places_(empty_places(regex, regex.root)) {}

EmptyMatches::Places EmptyMatches::places_of(std::string_view name) {
  unsigned places = 0;
  Side before = nothing;
  for (const char byte : name) {
    const Side behind = side_of(byte);
    places |= place_bit(before, behind);
    before = behind;
  }
  return static_cast<Places>(places | place_bit(before, nothing));
}

Vacuity EmptyMatches::vacuity() const {
  if (places_ == 0) return Vacuity::never;
  if (places_ == empty_name_place) return Vacuity::empty_name;
  // A name that never comes by a place of `places_`, should there be one, need have no more than
  // two bytes: from its first byte's kind to its last byte's kind.
  static constexpr std::string_view names[] = {"", "a", "-", "aa", "a-", "-a", "--"};
  const bool every = std::all_of(std::begin(names), std::end(names),
                                 [this](std::string_view name) { return any(name); });
  return every ? Vacuity::always : Vacuity::sometimes;
}

Vacuity vacuity(const Regex& regex) {
  return EmptyMatches(regex).vacuity();
}

std::optional<Regex> without_empty(const Regex& regex) {
  return Remover(regex).remove();
}

}  // namespace kr::regex
