#include "regex/text.hpp"

#include <vector>

#include "base/ascii.hpp"

namespace kr::regex {
namespace {

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
