// An expression of the rules language that tells some names from others.
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
  std::string text;  // letters, digits and underscores where `word`
  std::string also;

  bool holds(std::string_view name) const;
  /// As a rules file spells it.
  std::string spelled() const;
};

/// Names to tell apart, each once, with what they are made of.
class NameIndex {
 public:
  /// The texts have to outlive it.
  explicit NameIndex(std::vector<std::string_view> names);

  size_t size() const noexcept { return names_.size(); }
  std::string_view name(size_t i) const { return names_[i]; }
  const NameParts& parts(size_t i) const { return parts_[i]; }
  /// Whether the expression holds for the members, which rise, and for no other name.
  bool tells(const NameExpression& expression, std::span<const size_t> members) const;

 private:
  std::vector<std::string_view> names_;
  std::vector<NameParts> parts_;
  std::string joined_;
  std::vector<size_t> begins_;  // in joined_, by name
};

/// The first of these that tells the members, which rise, from all other names: a text of their
/// function's name, the more it says the better; its qualified name; it as a whole word; an
/// argument; both. Of a single name also how it begins, and at last the whole of it. None where
/// there is none, or the only name is empty.
std::optional<NameExpression> find_expression(const NameIndex& names,
                                              std::span<const size_t> members);

}  // namespace kr::coverage
