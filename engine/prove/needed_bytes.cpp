#include "prove/needed_bytes.hpp"

#include "base/ascii.hpp"

namespace kr::prove {
namespace {

regex::ByteSet needed(const regex::Regex& regex, regex::NodeId id) {
  const regex::Node& node = regex.nodes.get(id);
  regex::ByteSet bytes;
  switch (node.kind) {
    case regex::NodeKind::bytes: {
      regex::ByteSet small = node.set;
      for (size_t upper = 'A'; upper <= 'Z'; ++upper) {
        if (!small.test(upper)) continue;
        small.reset(upper);
        small.set(upper - 'A' + 'a');
      }
      return small.count() == 1 ? small : bytes;
    }
    case regex::NodeKind::sequence:
      for (const regex::NodeId operand : node.operands) bytes |= needed(regex, operand);
      return bytes;
    case regex::NodeKind::alternation:
      bytes.set();
      for (const regex::NodeId operand : node.operands) bytes &= needed(regex, operand);
      return bytes;
    case regex::NodeKind::repeat:
    case regex::NodeKind::group:
      if (node.kind == regex::NodeKind::repeat && node.min == 0) return bytes;
      return needed(regex, node.operands.front());
    default:
      return bytes;
  }
}

}  // namespace

regex::ByteSet needed_bytes(const regex::Regex& regex) {
  return needed(regex, regex.root);
}

regex::ByteSet bytes_of(std::string_view name) {
  regex::ByteSet bytes;
  for (const char c : name) bytes.set(static_cast<unsigned char>(lower(c)));
  return bytes;
}

}  // namespace kr::prove
