// A Regex as an S-expression: `(seq [a] (rep 0 * [bc]))`.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "regex/byte_set.hpp"

namespace kr::test {

class RegexDumper {
 public:
  explicit RegexDumper(const regex::Regex& regex) : regex_(regex) {}

  std::string dump() && {
    dump(regex_.root);
    return std::move(text_);
  }

 private:
  static std::string byte_text(size_t byte) {
    const auto c = static_cast<unsigned char>(byte);
    return regex::is_word(c) ? std::string(1, static_cast<char>(c)) : fmt::format("\\x{:02x}", c);
  }

  /// `[0-9]`, `[^\x0a]`.
  static std::string set_text(const regex::ByteSet& set) {
    const bool negated = set.count() > 128;
    std::string text = negated ? "[^" : "[";
    for (size_t first = 0; first < set.size(); ++first) {
      if (set.test(first) == negated) continue;
      size_t last = first;
      while (last + 1 < set.size() && set.test(last + 1) != negated) ++last;
      text += byte_text(first);
      if (last > first + 1) text += '-';
      if (last > first) text += byte_text(last);
      first = last;
    }
    return text + ']';
  }

  void dump(regex::NodeId id) {
    const regex::Node& node = regex_.nodes.get(id);
    switch (node.kind) {
      case regex::NodeKind::empty:
        text_ += "()";
        return;
      case regex::NodeKind::bytes:
        text_ += node.set.all() ? "." : set_text(node.set);
        return;
      case regex::NodeKind::sequence:
        list("seq", node);
        return;
      case regex::NodeKind::alternation:
        list("alt", node);
        return;
      case regex::NodeKind::repeat:
        list(fmt::format("rep{} {} {}", node.lazy ? "?" : "", node.min,
                         node.max == regex::Node::unbounded ? "*" : std::to_string(node.max)),
             node);
        return;
      case regex::NodeKind::group:
        list("group " + node.name, node);
        return;
      case regex::NodeKind::begin:
        text_ += '^';
        return;
      case regex::NodeKind::end:
        text_ += '$';
        return;
      case regex::NodeKind::word_edge:
        text_ += "\\b";
        return;
      case regex::NodeKind::not_word_edge:
        text_ += "\\B";
        return;
    }
  }

  void list(std::string_view head, const regex::Node& node) {
    text_ += '(';
    text_ += head;
    for (const regex::NodeId operand : node.operands) {
      text_ += ' ';
      dump(operand);
    }
    text_ += ')';
  }

  const regex::Regex& regex_;
  std::string text_;
};

inline std::string dump(const regex::Regex& regex) {
  return RegexDumper(regex).dump();
}

}  // namespace kr::test
