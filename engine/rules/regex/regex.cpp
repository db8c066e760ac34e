#include "regex/regex.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "regex/byte_set.hpp"

namespace kr::regex {
namespace {

constexpr uint64_t max_states = uint64_t{1} << 40;

uint64_t capped(uint64_t value) {
  return std::min(value, max_states);
}

// The depth of a tree is bounded by the nesting of groups, so recursion is safe.

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

/// The operands of a node as one flat sequence.
void flatten(const Regex& regex, NodeId id, std::vector<NodeId>& flat) {
  const Node& node = regex.nodes.get(id);
  if (node.kind == NodeKind::sequence) {
    for (const NodeId operand : node.operands) flatten(regex, operand, flat);
  } else if (node.kind != NodeKind::empty) {
    flat.push_back(id);
  }
}

}  // namespace

NodeId Regex::add(NodeKind kind, std::vector<NodeId> operands) {
  if (operands.size() == 1) return operands.front();
  if (operands.empty()) kind = NodeKind::empty;
  return nodes.add({.kind = kind, .operands = std::move(operands)});
}

NodeId Regex::add_repeat(NodeId operand, int min, int max) {
  if (min == 1 && max == 1) return operand;
  return nodes.add({.kind = NodeKind::repeat, .operands = {operand}, .min = min, .max = max});
}

NodeId Regex::add_either(NodeId a, NodeId b) {
  if (!a.valid()) return b;
  if (!b.valid()) return a;
  return add(NodeKind::alternation, {a, b});
}

NodeId Regex::add_copy(const Regex& from, NodeId part) {
  Node node = from.nodes.get(part);
  for (NodeId& operand : node.operands) operand = add_copy(from, operand);
  return nodes.add(std::move(node));
}

uint64_t state_count(const Regex& regex) {
  return capped(states_of(regex, regex.root) + 1);
}

Regex literal(std::string_view bytes, bool ignore_case, bool at_begin, bool at_end) {
  Regex regex;
  std::vector<NodeId> operands;
  const auto add = [&](NodeKind kind, const ByteSet& set) {
    operands.push_back(regex.nodes.add({.kind = kind, .set = set}));
  };
  if (at_begin) add(NodeKind::begin, {});
  for (const char byte : bytes) {
    const ByteSet set = single(static_cast<unsigned char>(byte));
    add(NodeKind::bytes, ignore_case ? folded(set) : set);
  }
  if (at_end) add(NodeKind::end, {});
  regex.root = regex.add(NodeKind::sequence, std::move(operands));
  return regex;
}

namespace {

ByteSet between(char first, char last) {
  ByteSet set;
  for (auto c = static_cast<unsigned char>(first); c <= static_cast<unsigned char>(last); ++c) {
    set.set(c);
  }
  return set;
}

}  // namespace

Regex whole_word(std::string_view bytes, bool ignore_case, bool at_end) {
  const ByteSet lower = between('a', 'z');
  const ByteSet upper = between('A', 'Z');
  const ByteSet letters_digits = lower | upper | between('0', '9');
  Regex regex;
  const auto set_node = [&](const ByteSet& set) {
    return regex.nodes.add({.kind = NodeKind::bytes, .set = set});
  };
  const auto edge = [&](NodeKind kind) { return regex.nodes.add({.kind = kind}); };
  std::vector<ByteSet> sets;
  sets.reserve(bytes.size());
  for (const char byte : bytes) {
    const ByteSet set = single(static_cast<unsigned char>(byte));
    sets.push_back(ignore_case ? folded(set) : set);
  }
  const auto any = [&](std::vector<NodeId> nodes) {
    return regex.add(NodeKind::alternation, std::move(nodes));
  };
  // The ways in which the text may begin: what is before it, and what its first two bytes are.
  struct Begin {
    std::optional<NodeId> before;
    ByteSet first, second;
  };
  const ByteSet all = ~ByteSet();
  std::vector<Begin> begins;
  const bool bare_begin = (sets.front() & letters_digits).none();
  if (bare_begin) {
    begins.push_back({std::nullopt, all, all});
  } else {
    begins.push_back({any({edge(NodeKind::begin), set_node(~letters_digits)}), ~upper, all});
    begins.push_back({any({edge(NodeKind::begin), set_node(~upper)}), upper, all});
    if (sets.size() > 1) begins.push_back({set_node(upper), upper, lower});
  }
  struct End {
    ByteSet last;
    std::optional<NodeId> after;
  };
  std::vector<End> ends;
  if (at_end) {
    ends.push_back({all, edge(NodeKind::end)});
  } else if ((sets.back() & letters_digits).none()) {
    ends.push_back({all, std::nullopt});
  } else {
    ends.push_back({~upper, any({edge(NodeKind::end), set_node(~(lower | between('0', '9')))})});
    const NodeId word = regex.add(NodeKind::sequence, {set_node(upper), set_node(lower)});
    ends.push_back({upper, any({edge(NodeKind::end), set_node(~letters_digits), word})});
  }
  std::vector<NodeId> ways;
  for (const Begin& begin : begins) {
    for (const End& end : ends) {
      std::vector<NodeId> operands;
      if (begin.before) operands.push_back(*begin.before);
      bool possible = true;
      for (size_t i = 0; i < sets.size(); ++i) {
        ByteSet set = sets[i];
        if (i == 0) set &= begin.first;
        if (i == 1) set &= begin.second;
        if (i + 1 == sets.size()) set &= end.last;
        possible = possible && set.any();
        operands.push_back(set_node(set));
      }
      if (end.after) operands.push_back(*end.after);
      if (possible) ways.push_back(regex.add(NodeKind::sequence, std::move(operands)));
    }
  }
  regex.root = any(std::move(ways));
  return regex;
}

std::vector<std::string> group_names(const Regex& regex) {
  std::vector<std::string> names;
  collect_names(regex, regex.root, names);
  return names;
}

std::optional<Letter> letter_of(const ByteSet& set) {
  const size_t first = set._Find_first();
  const size_t count = set.count();
  if (count == 0 || count > 2) return std::nullopt;
  const bool upper = is_upper(static_cast<char>(first));
  const bool lower = is_lower(static_cast<char>(first));
  if (count == 1) return Letter{static_cast<char>(first), true, !upper && !lower};
  if (!upper || !set.test(first + 32)) return std::nullopt;
  return Letter{static_cast<char>(first + 32), false, true};
}

std::optional<Text> text_of(const Regex& regex) {
  std::vector<NodeId> flat;
  flatten(regex, regex.root, flat);
  Text text;
  bool single = true;
  bool folded = true;
  for (size_t i = 0; i < flat.size(); ++i) {
    const Node& node = regex.nodes.get(flat[i]);
    if (node.kind == NodeKind::begin && i == 0) {
      text.at_begin = true;
    } else if (node.kind == NodeKind::end && i + 1 == flat.size()) {
      text.at_end = true;
    } else if (node.kind == NodeKind::bytes) {
      const auto letter = letter_of(node.set);
      if (!letter) return std::nullopt;
      text.bytes += letter->byte;
      single &= letter->single;
      folded &= letter->folded;
    } else {
      return std::nullopt;
    }
  }
  if (text.bytes.empty() || (!single && !folded)) return std::nullopt;
  text.ignore_case = !single;
  return text;
}

}  // namespace kr::regex
