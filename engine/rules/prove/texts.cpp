#include "prove/texts.hpp"

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

bool always_holds_in(const regex::Text& part, const regex::Text& whole) {
  if (part.at_begin || part.at_end) return false;
  if (part.ignore_case) return lowered(whole.bytes).find(part.bytes) != std::string::npos;
  return !whole.ignore_case && whole.bytes.find(part.bytes) != std::string::npos;
}

uint64_t Texts::key(uint32_t node, char byte) {
  return uint64_t{node} << 8 | static_cast<unsigned char>(lower(byte));
}

void Texts::add(uint32_t number, regex::Text text) {
  uint32_t node = 0;
  for (const char byte : text.bytes) {
    const auto made = static_cast<uint32_t>(ended_.size());
    const auto [at, added] = next_.try_emplace(key(node, byte), made);
    if (added) ended_.emplace_back();
    node = at->second;
  }
  ended_[node].push_back({number, std::move(text)});
}

void Texts::find(std::string_view name, std::vector<uint32_t>& numbers) const {
  numbers.clear();
  for (size_t begin = 0; begin < name.size(); ++begin) {
    uint32_t node = 0;
    for (size_t end = begin; end < name.size(); ++end) {
      const auto at = next_.find(key(node, name[end]));
      if (at == next_.end()) break;
      node = at->second;
      for (const Ended& one : ended_[node]) {
        const auto found = name.substr(begin, end + 1 - begin);
        if (one.text.ignore_case || found == one.text.bytes) numbers.push_back(one.number);
      }
    }
  }
}

}  // namespace kr::prove
