#include "regex/regex.hpp"

#include <algorithm>

#include "regex/byte_set.hpp"
#include "regex/size.hpp"

namespace kr::regex {
namespace {

constexpr uint64_t most_states = uint64_t{1} << 40;

uint64_t capped(uint64_t value) {
  return std::min(value, most_states);
}

// Trees are no deeper than groups nest, so that these may recurse.

uint64_t states_of(const Regex& regex, NodeId id) {
  const Node& node = regex.nodes.get(id);
  uint64_t inner = 0;
  for (const NodeId operand : node.operands) inner = capped(inner + states_of(regex, operand));
  switch (node.kind) {
    case NodeKind::empty:
    case NodeKind::sequence:
    case NodeKind::group:
      return inner;
    case NodeKind::alternation:
      return capped(inner + node.operands.size() - 1);
    case NodeKind::repeat: {
      const auto least = static_cast<uint64_t>(node.min);
      if (node.max == Node::unbounded) return capped(inner * std::max<uint64_t>(least, 1) + 1);
      const auto most = static_cast<uint64_t>(node.max);
      return capped(inner * most + (most - least));
    }
    case NodeKind::bytes:
    case NodeKind::begin:
    case NodeKind::end:
    case NodeKind::word_edge:
    case NodeKind::not_word_edge:
      return 1;
  }
  return 1;
}

void collect_names(const Regex& regex, NodeId id, std::vector<std::string>& names) {
  const Node& node = regex.nodes.get(id);
  if (node.kind == NodeKind::group) names.push_back(node.name);
  for (const NodeId operand : node.operands) collect_names(regex, operand, names);
}

}  // namespace

uint64_t state_count(const Regex& regex) {
  return capped(states_of(regex, regex.root) + 1);
}

Regex literal(std::string_view bytes, bool ignore_case, bool at_begin, bool at_end) {
  Regex regex;
  Node whole;
  whole.kind = NodeKind::sequence;
  const auto add = [&](NodeKind kind, const ByteSet& set) {
    Node node;
    node.kind = kind;
    node.set = set;
    whole.operands.push_back(regex.nodes.add(std::move(node)));
  };
  if (at_begin) add(NodeKind::begin, {});
  for (const char byte : bytes) {
    const ByteSet set = single(static_cast<unsigned char>(byte));
    add(NodeKind::bytes, ignore_case ? folded(set) : set);
  }
  if (at_end) add(NodeKind::end, {});
  if (whole.operands.size() == 1) {
    regex.root = whole.operands.front();
  } else {
    if (whole.operands.empty()) whole.kind = NodeKind::empty;
    regex.root = regex.nodes.add(std::move(whole));
  }
  return regex;
}

std::vector<std::string> group_names(const Regex& regex) {
  std::vector<std::string> names;
  collect_names(regex, regex.root, names);
  return names;
}

}  // namespace kr::regex
