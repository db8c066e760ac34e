// Rules as patterns of Python's `re`, for `re.search`.
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "convert/export.hpp"
#include "convert/own_form.hpp"

namespace kr::convert {
namespace {

using regex::ByteSet;
using regex::Node;
using regex::NodeId;
using regex::NodeKind;
using regex::Regex;

constexpr std::string_view anywhere = "[\\s\\S]*";
constexpr size_t longest = 1 << 20;  // bytes of a pattern
constexpr int deepest = 60;          // groups in groups: Python's parser recurses

/// Thrown if Python cannot express the pattern.
struct NotExpressible {
  std::string why;
};

ByteSet ascii() {
  ByteSet set;
  for (size_t byte = 0; byte < 128; ++byte) set.set(byte);
  return set;
}

/// Whether the set contains every letter in both cases or in neither.
bool ignores_case(const ByteSet& set) {
  for (size_t byte = 'A'; byte <= 'Z'; ++byte) {
    if (set.test(byte) != set.test(byte | 0x20)) return false;
  }
  return true;
}

size_t first_of(const ByteSet& set) {
  size_t byte = 0;
  while (!set.test(byte)) ++byte;
  return byte;
}

std::string byte_text(size_t byte, bool in_class) {
  if (byte < 0x20 || byte == 0x7f) return fmt::format("\\x{:02x}", byte);
  const char c = static_cast<char>(byte);
  // In a class, also the bytes of the set operations that later versions may have.
  constexpr std::string_view outside = ".^$*+?{}[]\\|()";
  constexpr std::string_view inside = "\\]^-[&~|";
  const bool special = (in_class ? inside : outside).find(c) != std::string_view::npos;
  return special ? fmt::format("\\{}", c) : std::string(1, c);
}

std::string members(const ByteSet& set) {
  std::string text;
  for (size_t first = 0; first < 128; ++first) {
    if (!set.test(first)) continue;
    size_t last = first;
    while (last + 1 < 128 && set.test(last + 1)) ++last;
    text += byte_text(first, true);
    if (last > first + 1) text += '-';
    if (last > first) text += byte_text(last, true);
    first = last;
  }
  return text;
}

/// Where a pattern is searched for.
enum class Place : uint8_t {
  name,        // in the whole name
  own_begin,   // at the begin of the function's own name
  own_behind,  // in the own name, behind its begin
};

class RegexWriter {
 public:
  explicit RegexWriter(const Regex& regex, Place place = Place::name)
      : regex_(regex), place_(place) {
    // One `(?i:…)` around the whole pattern, if case matters nowhere.
    bool closed = true;
    bool pair = false;
    for (const Node& node : regex.nodes) {
      if (node.kind != NodeKind::bytes) continue;
      closed = closed && ignores_case(node.set);
      pair = pair || is_pair(node.set);
    }
    folds_ = closed && pair;
  }

  std::string write() && {
    if (folds_) text_ += "(?i:";
    write(regex_.root, false);
    if (folds_) text_ += ')';
    return std::move(text_);
  }

 private:
  static bool is_pair(const ByteSet& set) {
    if (set.count() != 2) return false;
    const size_t first = first_of(set);
    return is_letter(static_cast<char>(first)) && (first & 0x20) == 0 && set.test(first | 0x20);
  }

  /// `inside`: in a repeat or a sequence, where alternatives need parentheses.
  void write(NodeId id, bool inside) {
    const Node& node = regex_.nodes.get(id);
    switch (node.kind) {
      case NodeKind::empty:
        text_ += "(?:)";
        return;
      case NodeKind::bytes:
        if (place_ == Place::name) {
          bytes(node.set);
        } else {
          own_bytes(node.set);
        }
        return;
      case NodeKind::sequence:
        sequence(node.operands);
        return;
      case NodeKind::alternation: {
        if (inside) open();
        bool first = true;
        for (const NodeId operand : node.operands) {
          if (!first) text_ += '|';
          first = false;
          write(operand, false);
        }
        if (inside) close();
        return;
      }
      case NodeKind::repeat:
        repeat(node);
        return;
      case NodeKind::group:
        open();
        write(node.operands.front(), false);
        close();
        return;
      case NodeKind::begin:
        text_ += place_ == Place::name ? "^" : place_ == Place::own_begin ? "(?:)" : "(?!)";
        return;
      case NodeKind::end:
        text_ += place_ == Place::name ? "\\Z" : OwnForm::get().end;
        return;
      case NodeKind::word_edge:
        text_ += "\\b";
        return;
      case NodeKind::not_word_edge:
        // `\B` does not match in the empty name before Python 3.14.
        text_ += "(?!\\b)";
        return;
    }
  }

  void sequence(const std::vector<NodeId>& items) {
    for (size_t at = 0; at < items.size();) {
      const size_t end = characters_end(items, at);
      if (end > at) {
        at = end;
      } else {
        write(items[at++], true);
      }
    }
  }

  /// Writes a run of bytes from 0x80 as characters. Returns the end of the run.
  size_t characters_end(const std::vector<NodeId>& items, size_t at) {
    std::string run;
    for (size_t i = at; i < items.size(); ++i) {
      const Node& node = regex_.nodes.get(items[i]);
      if (node.kind != NodeKind::bytes || node.set.count() != 1) break;
      const size_t byte = first_of(node.set);
      if (byte < 0x80) break;
      run += static_cast<char>(byte);
    }
    if (!is_utf8(run)) {
      throw NotExpressible{"it has bytes that are not UTF-8, but Python matches characters"};
    }
    text_ += run;
    return at + run.size();
  }

  void bytes(const ByteSet& set) {
    const ByteSet low = set & ascii();
    const ByteSet high = set & ~ascii();
    if (set.all()) {
      text_ += "[\\s\\S]";
    } else if (high.count() == 128) {
      text_ += fmt::format("[^{}]", members(~low & ascii()));
    } else if (high.any() && set.count() == 1) {
      throw NotExpressible{"it has bytes that are not UTF-8, but Python matches characters"};
    } else if (high.any()) {
      throw NotExpressible{
          "it has some bytes beyond ASCII and not others, but Python matches characters"};
    } else if (folds_ && is_pair(set)) {
      text_ += byte_text(first_of(set) | 0x20, false);
    } else if (set.count() == 1) {
      text_ += byte_text(first_of(set), false);
    } else {
      text_ += fmt::format("[{}]", members(set));
    }
  }

  /// Template arguments and unnamed scopes lie around the colons of an own name.
  void own_bytes(ByteSet set) {
    set &= OwnForm::bytes();
    const bool colon = set.test(':');
    set.reset(':');
    if (colon) {
      open();
      if (set.any()) {
        bytes(set);
        text_ += '|';
      }
      text_ += OwnForm::get().before_colon + ':' + OwnForm::get().after_colon;
      close();
    } else if (set.any()) {
      bytes(set);
    } else {
      text_ += "(?!)";
    }
  }

  void repeat(const Node& node) {
    if (node.max == 0) {
      text_ += "(?:)";
      return;
    }
    const NodeKind kind = regex_.nodes.get(node.operands.front()).kind;
    const bool bare = (kind == NodeKind::bytes && place_ == Place::name) || kind == NodeKind::group;
    if (!bare) open();
    write(node.operands.front(), !bare);
    if (!bare) close();
    if (node.max == Node::unbounded) {
      text_ += node.min == 0 ? "*" : node.min == 1 ? "+" : fmt::format("{{{},}}", node.min);
    } else if (node.min == 0 && node.max == 1) {
      text_ += '?';
    } else if (node.min == node.max) {
      text_ += fmt::format("{{{}}}", node.min);
    } else {
      text_ += fmt::format("{{{},{}}}", node.min, node.max);
    }
  }

  void open() {
    text_ += "(?:";
    if (++depth_ > deepest)
      throw NotExpressible{"its groups are nested deeper than Python supports"};
  }
  void close() {
    text_ += ')';
    --depth_;
  }

  const Regex& regex_;
  Place place_;
  std::string text_;
  bool folds_ = false;
  int depth_ = 0;
};

/// A spelling as a pattern, without the anchor at its begin.
std::string spelled(const OperationSpelling& spelling) {
  std::string text;
  for (const char c : spelling.head) text += byte_text(static_cast<unsigned char>(c), false);
  if (spelling.part.empty()) return text;
  text += anywhere;
  for (const char c : spelling.part) text += byte_text(static_cast<unsigned char>(c), false);
  return text;
}

bool may_overlap(const OperationSpelling& a, const OperationSpelling& b) {
  return a.head.starts_with(b.head) || b.head.starts_with(a.head);
}

/// The pattern of the names of that kind.
std::string kind_text(OperationKind kind) {
  std::string text;
  const auto all = operation_spellings();
  if (kind == OperationKind::kernel) {
    for (const OperationSpelling& spelling : all) {
      text += fmt::format("{}{}", text.empty() ? "" : "|", spelled(spelling));
    }
    return fmt::format("^(?!{})", text);
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind != kind) continue;
    std::string earlier;
    for (size_t j = 0; j < i; ++j) {
      if (all[j].kind != kind && may_overlap(all[i], all[j])) {
        earlier += fmt::format("(?!{})", spelled(all[j]));
      }
    }
    text += fmt::format("{}^{}{}", text.empty() ? "" : "|", earlier, spelled(all[i]));
  }
  return text;
}

class ExprWriter {
 public:
  explicit ExprWriter(const sema::Program& program) : program_(program) {}

  /// A pattern for re.search: found in the names that the expression matches.
  std::string search(sema::ExprId id, int depth) {
    if (depth > deepest) throw NotExpressible{"its parts are nested deeper than Python supports"};
    const sema::Expr& expr = program_.exprs.get(id);
    switch (expr.op) {
      case sema::ExprOp::atom:
        return checked(RegexWriter(program_.atoms.get(expr.atom).regex).write());
      case sema::ExprOp::operation:
        uses_kind = true;
        return kind_text(expr.operation);
      case sema::ExprOp::own:
        return own_names({id}, depth);
      case sema::ExprOp::within_op:
      case sema::ExprOp::op:
      case sema::ExprOp::phase:
        throw NotExpressible{"it looks at framework ops or phases, but a table matches only names"};
      case sema::ExprOp::within:
        throw NotExpressible{
            "it matches enclosing modules and ranges (`within`), but a table matches only names"};
      case sema::ExprOp::label:
        throw NotExpressible{
            "it looks at the labels of operations, but a table matches only names"};
      case sema::ExprOp::disjunction: {
        // The form of own names is long: it is written once for all of them.
        std::vector<sema::ExprId> parts = expr.operands;
        const auto own = std::stable_partition(parts.begin(), parts.end(), [&](sema::ExprId part) {
          return program_.exprs.get(part).op != sema::ExprOp::own;
        });
        const std::vector<sema::ExprId> own_parts(own, parts.end());
        parts.erase(own, parts.end());
        std::string text =
            alternatives(parts, [&](sema::ExprId part) { return search(part, depth); });
        if (own_parts.empty()) return text;
        if (!text.empty()) text += '|';
        return checked(std::move(text) + own_names(own_parts, depth));
      }
      case sema::ExprOp::negation:
      case sema::ExprOp::conjunction:
        return '^' + condition(id, depth);
    }
    return {};
  }

  bool uses_kind = false;

 private:
  template <class Write>
  static std::string alternatives(const std::vector<sema::ExprId>& operands, const Write& write) {
    std::string text;
    for (const sema::ExprId operand : operands) {
      if (!text.empty()) text += '|';
      text = checked(std::move(text) + write(operand));
    }
    return text;
  }

  /// For names that at least one of the `own` expressions matches.
  std::string own_names(const std::vector<sema::ExprId>& parts, int depth) {
    const auto operand = [&](sema::ExprId part) {
      return program_.exprs.get(part).operands.front();
    };
    const std::string inside =
        alternatives(parts, [&](sema::ExprId part) { return own(operand(part), depth + 3); });
    const std::string whole =
        alternatives(parts, [&](sema::ExprId part) { return search(operand(part), depth + 3); });
    // A name that is not a function of C++ is its own name.
    return checked(fmt::format("^(?:{0}(?={1})|(?!{0})(?={2}(?:{3})))", OwnForm::get().function,
                               inside, anywhere, whole));
  }

  /// A pattern for the begin of an own name: that the expression matches in it.
  std::string own(sema::ExprId id, int depth) {
    if (depth > deepest) throw NotExpressible{"its parts are nested deeper than Python supports"};
    const sema::Expr& expr = program_.exprs.get(id);
    const auto look_ahead = [&](char sign, sema::ExprId operand) {
      return checked(fmt::format("(?{}{})", sign, own(operand, depth + 1)));
    };
    switch (expr.op) {
      case sema::ExprOp::atom:
        return own_atom(program_.atoms.get(expr.atom).regex);
      case sema::ExprOp::disjunction:
        return alternatives(expr.operands, [&](sema::ExprId one) { return own(one, depth); });
      case sema::ExprOp::conjunction: {
        std::string text;
        for (const sema::ExprId operand : expr.operands) text += look_ahead('=', operand);
        return checked(std::move(text));
      }
      case sema::ExprOp::negation:
        return look_ahead('!', expr.operands.front());
      default:
        // `own` contains nothing else. The own name of an own name is itself.
        KR_CHECK(expr.op == sema::ExprOp::own);
        return own(expr.operands.front(), depth + 1);
    }
  }

  static std::string own_atom(const Regex& regex) {
    const std::string& unit = OwnForm::get().unit;
    const auto begins = [](const Node& node) { return node.kind == NodeKind::begin; };
    if (std::ranges::none_of(regex.nodes, begins)) {
      return checked(fmt::format("{}*?(?:{})", unit, RegexWriter(regex, Place::own_begin).write()));
    }
    if (!regex::anchored_at_edges(regex)) {
      throw NotExpressible{"it has a `^` in the middle, and looks at the function's own name"};
    }
    return checked(fmt::format("(?:{})|{}+?(?:{})", RegexWriter(regex, Place::own_begin).write(),
                               unit, RegexWriter(regex, Place::own_behind).write()));
  }

  /// A look-ahead for the start of a name, for the names that the expression matches.
  std::string condition(sema::ExprId id, int depth) {
    const sema::Expr& expr = program_.exprs.get(id);
    if (expr.op == sema::ExprOp::conjunction) {
      std::string text;
      for (const sema::ExprId operand : expr.operands) {
        text += condition(operand, depth);
        text = checked(text);
      }
      return text;
    }
    const bool negated = expr.op == sema::ExprOp::negation;
    const std::string found = search(negated ? expr.operands.front() : id, depth + 2);
    return checked(fmt::format("(?{}{}(?:{}))", negated ? '!' : '=', anywhere, found));
  }

  static std::string checked(std::string text) {
    if (text.size() > longest) {
      throw NotExpressible{fmt::format("it needs a pattern of more than {} bytes", longest)};
    }
    return text;
  }

  const sema::Program& program_;
};

}  // namespace

std::optional<PythonPattern> to_python(const sema::Program& program, sema::ExprId expr,
                                       std::string& why) {
  try {
    ExprWriter writer(program);
    PythonPattern pattern;
    pattern.text = writer.search(expr, 0);
    pattern.uses_kind = writer.uses_kind;
    return pattern;
  } catch (const NotExpressible& reason) {
    why = reason.why;
    return std::nullopt;
  }
}

}  // namespace kr::convert
