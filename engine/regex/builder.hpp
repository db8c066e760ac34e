// What the parser's actions call, item after item: puts a Regex together and says what cannot be
// in one. Open groups are on a stack of its own.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "regex/regex.hpp"

namespace kr::regex {

/// Texts in and out are views into the pattern, so that places follow from them.
class Builder {
 public:
  Builder(std::string_view text, source::Span span, bool ignore_case, diag::Sink& sink);

  void byte(std::string_view item, unsigned char value);
  void set(std::string_view item, const ByteSet& set);
  void beyond_ascii(std::string_view item);
  void assertion(std::string_view item, NodeKind kind);
  void bar();

  void fold_all() { ignore_case_ = true; }
  void open(std::string_view item);
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

  /// Something that is wrong.
  template <int N, class... Args>
  diag::Diagnostic& report(const diag::Code<N>& code, std::string_view item, const Args&... args) {
    ++errors_;
    // A pattern that is wrong a thousand times is not explained a thousand times.
    constexpr size_t shown = 16;
    diag::Sink& sink = errors_ <= shown ? sink_ : unshown_;
    return sink.add(code, place(item), quoted(args)...);
  }
  /// Something that is not in the dialect and stood where an operand may stand.
  template <int N, class... Args>
  diag::Diagnostic& reject(const diag::Code<N>& code, std::string_view item, const Args&... args) {
    if (!in_class_) push(Node(), item, Last::operand);
    return report(code, item, args...);
  }
  /// Closes what is open. None after any error.
  std::optional<Regex> finish();

 private:
  /// What a quantifier would repeat.
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

  /// What a message quotes is kept short.
  static std::string quoted(std::string_view item);
  template <class Number>
  requires std::is_arithmetic_v<Number>
  static Number quoted(Number number) { return number; }
  source::Span place(std::string_view item) const;
  NodeId add(Node node, std::string_view item, int64_t weight = 1);
  void push(Node node, std::string_view item, Last last, int64_t weight = 1);
  NodeId joined(NodeKind kind, std::vector<NodeId> operands, std::string_view item);
  NodeId ended(Frame& frame, std::string_view item);
  void open(std::string_view item, std::string name);
  bool repeatable(std::string_view item);

  std::string_view text_;
  source::Span span_;
  diag::Sink& sink_;
  diag::Sink unshown_;
  size_t errors_ = 0;
  Regex regex_;
  std::vector<int64_t> weights_;  // by node: how often RE2 would write out its innermost part
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

}  // namespace kr::regex
