// Writes a Regex as text for Hyperscan and RE2.
#include <fmt/format.h>

#include "base/printable.hpp"
#include "regex/byte_set.hpp"
#include "regex/regex.hpp"

namespace kr::regex {
namespace {

std::string byte_text(unsigned byte) {
  const auto c = static_cast<char>(byte);
  return is_word(static_cast<unsigned char>(byte)) ? std::string(1, c) : hex_byte(c);
}

/// The members as ranges: `0-9A-Z`.
std::string members(const ByteSet& set) {
  std::string text;
  // Most sets are one letter of a literal, so visit only members, not all bytes.
  for (size_t first = set._Find_first(); first < set.size(); first = set._Find_next(first)) {
    size_t last = first;
    while (last + 1 < set.size() && set.test(last + 1)) ++last;
    text += byte_text(static_cast<unsigned>(first));
    if (last > first + 1) text += '-';
    if (last > first) text += byte_text(static_cast<unsigned>(last));
    first = last;
  }
  return text;
}

/// `a`, `[0-9]`, `[^\x0a]`. The caller handles the full set.
std::string set_text(const ByteSet& set) {
  if (set.count() == 1) return members(set);
  if (set.count() > 128) return fmt::format("[^{}]", members(~set));
  return fmt::format("[{}]", members(set));
}

std::string repeat_text(const Node& node) {
  if (node.max == Node::unbounded) {
    if (node.min == 0) return "*";
    if (node.min == 1) return "+";
    return fmt::format("{{{},}}", node.min);
  }
  if (node.min == 0 && node.max == 1) return "?";
  if (node.min == node.max) return fmt::format("{{{}}}", node.min);
  return fmt::format("{{{},{}}}", node.min, node.max);
}

/// The differences between the syntaxes.
struct Syntax {
  std::string_view any;
  std::string_view begin;
  std::string_view end;
  std::string_view named;  // begins a named group, before its name and `>`
  bool lazy;               // lazy quantifiers stay lazy
  bool high_once;          // a single byte from 0x80 becomes `\xNN{1}`
  bool zero_repeats;       // `{0}` is allowed
};

class Printer {
 public:
  Printer(const Regex& regex, const Syntax& syntax) : regex_(regex), syntax_(syntax) {}

  std::string print() && {
    print(regex_.root, Inside::nothing);
    return std::move(text_);
  }

 private:
  /// What encloses the printed part; it determines whether parentheses are needed.
  enum class Inside { nothing, sequence, repeat };

  void print(NodeId id, Inside inside) {
    const Node& node = regex_.nodes.get(id);
    switch (node.kind) {
      case NodeKind::empty:
        text_ += inside == Inside::nothing ? "" : "(?:)";
        return;
      case NodeKind::bytes:
        bytes(node.set, inside);
        return;
      case NodeKind::sequence:
        joined(node, "", inside == Inside::repeat, Inside::sequence);
        return;
      case NodeKind::alternation:
        joined(node, "|", inside != Inside::nothing, Inside::nothing);
        return;
      case NodeKind::repeat:
        repeat(node, inside == Inside::repeat);
        return;
      case NodeKind::group:
        text_ += fmt::format("{}{}>", syntax_.named, node.name);
        print(node.operands.front(), Inside::nothing);
        text_ += ')';
        return;
      case NodeKind::begin:
        place(syntax_.begin, inside);
        return;
      case NodeKind::end:
        place(syntax_.end, inside);
        return;
      case NodeKind::word_edge:
        place("\\b", inside);
        return;
      case NodeKind::not_word_edge:
        place("\\B", inside);
        return;
    }
  }

  void bytes(const ByteSet& set, Inside inside) {
    if (set.all()) {
      text_ += syntax_.any;
    } else if (syntax_.high_once && set.count() == 1 && (set >> 128).any()) {
      place(members(set) + "{1}", inside);
    } else {
      text_ += set_text(set);
    }
  }

  void place(std::string_view text, Inside inside) {
    const bool parentheses = inside == Inside::repeat;
    text_ += parentheses ? "(?:" : "";
    text_ += text;
    text_ += parentheses ? ")" : "";
  }

  void joined(const Node& node, std::string_view separator, bool parentheses, Inside inside) {
    if (parentheses) text_ += "(?:";
    bool first = true;
    for (const NodeId operand : node.operands) {
      if (!first) text_ += separator;
      first = false;
      print(operand, inside);
    }
    if (parentheses) text_ += ')';
  }

  void repeat(const Node& node, bool parentheses) {
    if (node.max == 0 && !syntax_.zero_repeats) {
      text_ += "(?:)";
      return;
    }
    if (parentheses) text_ += "(?:";
    print(node.operands.front(), Inside::repeat);
    text_ += repeat_text(node);
    if (syntax_.lazy && node.lazy) text_ += '?';
    if (parentheses) text_ += ')';
  }

  const Regex& regex_;
  const Syntax& syntax_;
  std::string text_;
};

}  // namespace

std::string to_hyperscan(const Regex& regex) {
  // Laziness affects only the contents of groups. With groups it is kept, so that expressions with
  // the same text have the same meaning.
  const bool groups = !group_names(regex).empty();
  const Syntax syntax{".", "^", "\\z", "(?<", groups, false, false};
  return Printer(regex, syntax).print();
}

std::string to_re2(const Regex& regex) {
  // RE2 (up to 20220601 at least) searches the common prefix of alternatives in UTF-8 even in
  // Latin-1 mode, so it never finds one with a byte from 0x80. A repeat is never part of such a
  // prefix.
  static constexpr Syntax syntax{"(?s:.)", "\\A", "\\z", "(?P<", true, true, true};
  return Printer(regex, syntax).print();
}

}  // namespace kr::regex
