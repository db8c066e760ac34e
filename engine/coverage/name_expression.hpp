// An expression of the rules language that matches some names and no others.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coverage/name_parts.hpp"

namespace kr::coverage {

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
