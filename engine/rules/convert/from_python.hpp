// Patterns of Python's `re` as expressions of a rules file.
//
// The portable dialect is a subset of Python's, except for a few spellings, which are rewritten. If
// a spelling means different things in both, only names that kernels do not have show the
// difference: names with line breaks (`.` and `$`) or beyond ASCII (`\w`, `\b`, case).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kr::convert {

struct PortedPattern {
  std::string text;  // for use between the slashes of a rules file
  bool ignore_case = false;
};

/// Rewrites `(?P<name>`, flags without effect here, `\Z`, `{,n}`, comments, octal bytes, characters
/// by number, slashes and control bytes. Everything else is unchanged; the dialect accepts or
/// rejects it.
PortedPattern from_python(std::string_view pattern);

/// One pattern as atoms joined by `|`: texts if possible, else regular expressions.
struct PortedRule {
  std::vector<std::string> atoms;  // as spelled in a rules file
  bool always = false;             // it matches every name; `atoms` is then only /.*/
};

/// Nullopt if the dialect cannot express the pattern: `why` is the reason, and `help`, if not
/// empty, what to write instead.
std::optional<PortedRule> port_rule(std::string_view pattern, std::string& why, std::string& help);

}  // namespace kr::convert
