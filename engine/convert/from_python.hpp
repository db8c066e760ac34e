// Patterns of Python's `re` as expressions of a rules file.
//
// The portable dialect is what Python has too but for a handful of spellings, which are written
// over. Where both have a spelling and mean different things by it, the difference shows only in
// names that kernels do not have: with line breaks (`.` and `$`) and beyond ASCII (`\w`, `\b`,
// case).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kr::convert {

struct PortedPattern {
  std::string text;  // for between the slashes of a rules file
  bool ignore_case = false;
};

/// Written over: `(?P<name>` and flags that change nothing here, `\Z`, `{,n}`, comments, octal
/// bytes, characters by number, slashes, control bytes. Everything else stays as it is, for the
/// dialect to take or to refuse.
PortedPattern from_python(std::string_view pattern);

/// One pattern as atoms joined by `|`: each a text where it is one, else a regular expression.
struct PortedRule {
  std::vector<std::string> atoms;  // as spelled in a rules file
  bool always = false;             // it matches every name; `atoms` is then /.*/ alone
};

/// None where the dialect has no such expression; `why` then says what it does not have, and
/// `help`, where there is one, what to write instead.
std::optional<PortedRule> port_rule(std::string_view pattern, std::string& why, std::string& help);

}  // namespace kr::convert
