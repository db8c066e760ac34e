// Builds a Regex from the items of a pattern and reports mistakes. The parser's actions call it. It
// keeps its own stack of open groups.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "regex/regex.hpp"

namespace kr::regex {

/// A part of a message that is no piece of the pattern, so it is not shortened.
struct Said {
  std::string text;
};

/// All texts passed to it are views into the pattern; places follow from that.
class Builder {
 public:
  Builder(std::string_view text, source::Span span, bool ignore_case, diag::Sink& sink);

  void byte(std::string_view item, unsigned char value);
  void set(std::string_view item, const ByteSet& set);
  void beyond_ascii(std::string_view item);
  void any(std::string_view item) { set(item, ByteSet().set()); }
  void assertion(std::string_view item, NodeKind kind);
  void bar(std::string_view item);

  void fold_all(std::string_view) { ignore_case_ = true; }
  void open(std::string_view item) { open_group(item, {}); }
  void open_folded(std::string_view item);
  void open_named(std::string_view item, std::string_view name);
  void close(std::string_view item);

  void quantifier(std::string_view item);

  void class_open(std::string_view item);
  void class_byte(std::string_view item, unsigned char value);
  void class_set(std::string_view item, const ByteSet& set);
  void class_bad(std::string_view item);
  void class_item(std::string_view item);
  void class_close(std::string_view item, bool closed);

  /// Reports a mistake.
  template <int N, class... Args>
  diag::Diagnostic& report(const diag::Code<N>& code, std::string_view item, const Args&... args) {
    ++errors_;
    // Shows only the first of very many mistakes.
    constexpr size_t shown = 16;
    diag::Sink& sink = errors_ <= shown ? sink_ : unshown_;
    return sink.add(code, place(item), quoted(args)...);
  }
  /// Reports a construct outside the dialect, and adds an operand in its place.
  template <int N, class... Args>
  diag::Diagnostic& reject(const diag::Code<N>& code, std::string_view item, const Args&... args) {
    if (!in_class_) push(Node(), item, Last::operand);
    return report(code, item, args...);
  }
  /// Closes open groups. None after any error.
  std::optional<Regex> finish();

 private:
  /// The item before a quantifier.
  enum class Last : uint8_t { nothing, operand, assertion, repeat, beyond_ascii };
  struct Frame {
    std::string_view open;  // empty for the pattern itself
    std::string name;
    bool outer_ignore_case = false;
    std::vector<NodeId> alternatives;
    std::vector<NodeId> sequence;
  };
  struct ClassAtom {
    std::string_view item;
    ByteSet set;
    bool single = false;
  };

  /// Shortens a text for a message.
  static std::string quoted(std::string_view item);
  static std::string quoted(const Said& said) { return said.text; }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  static Number quoted(Number number) { return number; }
  source::Span place(std::string_view item) const;
  NodeId add(Node node, std::string_view item, int64_t weight = 1);
  void push(Node node, std::string_view item, Last last, int64_t weight = 1);
  NodeId joined(NodeKind kind, std::vector<NodeId> operands, std::string_view item);
  NodeId ended(Frame& frame, std::string_view item);
  void open_group(std::string_view item, std::string name);
  bool repeatable(std::string_view item);

  std::string_view text_;
  source::Span span_;
  diag::Sink& sink_;
  diag::Sink unshown_;
  size_t errors_ = 0;
  Regex regex_;
  std::vector<int64_t> weights_;  // by node: how often RE2 would copy its innermost part
  std::vector<Frame> frames_;
  std::vector<std::pair<std::string, source::Span>> names_;
  Last last_ = Last::nothing;
  bool ignore_case_;
  bool too_deep_ = false;

  bool in_class_ = false;
  bool class_negated_ = false;
  std::string_view class_begin_;
  ByteSet class_set_;
  std::vector<ClassAtom> class_atoms_;
};

// Constructs outside the portable dialect whose help depends on what was written (dialect.cpp;
// parse.cpp has the others). Functions for the start of a group also open it, so that its `)` has a
// partner.
void reject_look_around(std::string_view item, Builder& builder);
void reject_group_spelling(std::string_view item, Builder& builder);
void reject_open_flagged(std::string_view item, Builder& builder);
void reject_flags(std::string_view item, Builder& builder);
void reject_octal(std::string_view item, Builder& builder);
void reject_hex(std::string_view item, Builder& builder);
void reject_anchor(std::string_view item, Builder& builder);
void reject_escape(std::string_view item, Builder& builder);
void reject_open_repeat(std::string_view item, Builder& builder);
void reject_posix_class(std::string_view item, Builder& builder);
void reject_edge_in_class(std::string_view item, Builder& builder);
void reject_character_in_class(std::string_view item, Builder& builder);

}  // namespace kr::regex
