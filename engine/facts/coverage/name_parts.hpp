// The parts of a kernel's name, and which names are similar: those that differ only in template
// arguments, numbers, shapes, element types and other suffixes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kr::coverage {

/// A part of an identifier: `fused`, `Add`, `RMS`, `64`.
struct NameWord {
  size_t begin = 0;  // bytes [begin, end) of the identifier
  size_t end = 0;
  std::string text;  // in lower case
  /// Describes what the kernel does: not a number, an element type or a shape, and not `kernel`.
  bool descriptive = false;
};

/// Splits at underscores, at capital letters, and between letters and digits.
std::vector<NameWord> words_of(std::string_view identifier);

struct NameParts {
  /// The function without its namespace, from a demangled, mangled or plain name: `foo_kernel`. The
  /// whole name if it has no identifier.
  std::string base;
  /// With its namespace, as in the name: `acme::foo_kernel`; empty if the name has none.
  std::string qualified;
  /// Identifiers with a descriptive word in template arguments and parameters, each once, in order;
  /// at most `max_arguments`.
  std::vector<std::string> arguments;

  static constexpr size_t max_arguments = 64;
};

NameParts parts_of(std::string_view name);

/// The descriptive words of an identifier, separated by blanks; all words if none is descriptive.
/// Names with equal ones are similar.
std::string descriptive_words(std::string_view identifier);

/// The descriptive words of a whole name, sorted: of its function, and of its arguments.
std::vector<std::string> likeness_words(std::string_view name);
/// How similar two names are, by these words: twice the number in common divided by the number of
/// all; 1 if they are equal, 0 if one has none.
double likeness(const std::vector<std::string>& a, const std::vector<std::string>& b);

/// An expression of the rules language that matches some names and no others.
struct NameExpression {
  enum class Form : uint8_t {
    contains,  // "text", with `also`: "text" & "also"
    word,      // /\btext\b/
    prefix,    // ^"text"
    whole,     // ^"text"$
  };
  Form form = Form::contains;
  std::string text;  // letters, digits and underscores if `word`
  std::string also;

  bool matches(std::string_view name) const;
  /// As in a rules file.
  std::string spelled() const;
};

/// All names, each once, with their parts.
class NameIndex {
 public:
  /// The texts must outlive this.
  explicit NameIndex(std::vector<std::string_view> names);

  size_t size() const noexcept { return names_.size(); }
  std::string_view name(size_t i) const { return names_[i]; }
  const NameParts& parts(size_t i) const { return parts_[i]; }
  /// Whether the expression matches the members, in ascending order, and no other name.
  bool matches_only(const NameExpression& expression, std::span<const size_t> members) const;

 private:
  std::vector<std::string_view> names_;
  std::vector<NameParts> parts_;
  std::string joined_;
  std::vector<size_t> begins_;  // in joined_, by name
};

/// The first of these that matches the members, in ascending order, and no other name: a part of
/// their function's name, the most descriptive first; its qualified name; the name as a whole word;
/// an argument; both. For a single name also its begin, and last the whole name. Nullopt if there
/// is none, or if the only name is empty.
std::optional<NameExpression> find_expression(const NameIndex& names,
                                              std::span<const size_t> members);

}  // namespace kr::coverage
