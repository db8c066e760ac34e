// What a Regex means, as plainly as it can be said: from each begin, the set of ends. The yardstick
// for the automaton and for Hyperscan.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "regex/regex.hpp"

namespace kr::test {

/// Names of at most 62 bytes; a set of ends is a bit an end.
class ReferenceMatch {
 public:
  ReferenceMatch(const regex::Regex& regex, std::string_view name) : regex_(regex), name_(name) {}

  uint64_t ends(size_t begin) const { return from_all(regex_.root, uint64_t{1} << begin); }

  bool search() const {
    for (size_t begin = 0; begin <= name_.size(); ++begin) {
      if (ends(begin) != 0) return true;
    }
    return false;
  }

  std::optional<std::pair<size_t, size_t>> find(size_t from = 0) const {
    for (size_t begin = from; begin <= name_.size(); ++begin) {
      const uint64_t set = ends(begin);
      if (set == 0) continue;
      size_t end = 63;
      while ((set >> end & 1) == 0) --end;
      return std::pair{begin, end};
    }
    return std::nullopt;
  }

 private:
  uint64_t from_all(regex::NodeId id, uint64_t begins) const {
    uint64_t ends = 0;
    for (size_t at = 0; at <= name_.size(); ++at) {
      if ((begins >> at & 1) != 0) ends |= from_one(regex_.nodes.get(id), at);
    }
    return ends;
  }

  bool word(size_t at) const {
    const char c = name_[at];
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  bool edge(size_t at) const {
    const bool before = at > 0 && word(at - 1);
    const bool behind = at < name_.size() && word(at);
    return before != behind;
  }

  uint64_t from_one(const regex::Node& node, size_t at) const {
    const uint64_t here = uint64_t{1} << at;
    switch (node.kind) {
      case regex::NodeKind::empty:
        return here;
      case regex::NodeKind::bytes:
        if (at == name_.size() || !node.set.test(static_cast<unsigned char>(name_[at]))) return 0;
        return here << 1;
      case regex::NodeKind::sequence: {
        uint64_t set = here;
        for (const regex::NodeId operand : node.operands) set = from_all(operand, set);
        return set;
      }
      case regex::NodeKind::alternation: {
        uint64_t set = 0;
        for (const regex::NodeId operand : node.operands) set |= from_all(operand, here);
        return set;
      }
      case regex::NodeKind::repeat:
        return repeated(node, here);
      case regex::NodeKind::group:
        return from_all(node.operands.front(), here);
      case regex::NodeKind::begin:
        return at == 0 ? here : 0;
      case regex::NodeKind::end:
        return at == name_.size() ? here : 0;
      case regex::NodeKind::word_edge:
        return edge(at) ? here : 0;
      case regex::NodeKind::not_word_edge:
        return edge(at) ? 0 : here;
    }
    return 0;
  }

  uint64_t repeated(const regex::Node& node, uint64_t set) const {
    const regex::NodeId operand = node.operands.front();
    for (int round = 0; round < node.min; ++round) set = from_all(operand, set);
    uint64_t all = set;
    for (int round = node.min; node.max == regex::Node::unbounded || round < node.max; ++round) {
      set = from_all(operand, set);
      if ((all | set) == all) break;  // nothing new now, nothing new ever
      all |= set;
    }
    return all;
  }

  const regex::Regex& regex_;
  std::string_view name_;
};

}  // namespace kr::test
