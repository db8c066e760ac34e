#include "ncu/names.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/ascii.hpp"
#include "base/demangle.hpp"

namespace kr::ncu {
namespace {

/// Where the parameter list begins: the last `(` outside of all brackets, if `)` ends the name.
/// npos: there is none.
size_t parameters_of(std::string_view name) {
  if (!name.ends_with(')')) return name.npos;
  int depth = 0;
  for (size_t at = name.size(); at-- > 0;) {
    const char c = name[at];
    if (c == ')') ++depth;
    if (c == '(' && --depth == 0) return at;
  }
  return name.npos;
}

/// Where the function's name begins: behind the last space or `::` outside of all brackets, before
/// its own template arguments.
size_t function_of(std::string_view name) {
  int depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at < name.size(); ++at) {
    const char c = name[at];
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
    if (depth == 0 && (c == ' ' || c == ':') && at + 1 < name.size()) begin = at + 1;
  }
  return begin;
}

/// `(int)4`, `(unsigned long)2`, `(bool)0`: bytes of the cast at `at`, 0 where something else is.
size_t cast_size(std::string_view text, size_t at) {
  const size_t close = text.find(')', at);
  if (close == text.npos || close + 1 >= text.size()) return 0;
  const std::string_view type = text.substr(at + 1, close - at - 1);
  const bool words = !type.empty() && std::all_of(type.begin(), type.end(), [](char c) {
    return is_identifier_byte(c) || c == ' ' || c == ':';
  });
  const char next = text[close + 1];
  return words && (is_digit(next) || next == '-') ? close + 1 - at : 0;
}

bool is_left_out(std::string_view word) {
  constexpr std::array<std::string_view, 6> words{"const",     "unnamed", "anonymous",
                                                  "namespace", "class",   "struct"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Words, with a space between them. ncu leaves namespaces out, and of `<unnamed>::` and
/// `const::[lambda…]` one bracket with them: so no bracket counts.
std::string simplified_name(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '(') {
      if (const size_t cast = cast_size(text, at)) {
        at += cast;
        continue;
      }
    }
    if (!is_identifier_byte(text[at])) {
      if (text[at] == '*' || text[at] == '&' || text[at] == '-') out += text[at];
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && is_identifier_byte(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    at = end;
    if (text.substr(end).starts_with("::") || is_left_out(word)) continue;
    out += ' ';
    out += word;
  }
  return out;
}

}  // namespace

std::string_view to_string(NameMatch match) noexcept {
  constexpr std::array<std::string_view, 5> names{"name", "demangled", "simplified",
                                                  "without_parameters", "function"};
  return names[static_cast<size_t>(match)];
}

NameKeys::NameKeys(std::string_view text)
    : name(text), demangled(kr::demangled(text).value_or(name)) {
  simplified = simplified_name(demangled);
  const std::string_view whole = demangled;
  const std::string_view head = trimmed(whole.substr(0, parameters_of(whole)));
  const std::string_view called = head.substr(function_of(head));
  without_parameters = simplified_name(called);
  function = called.substr(0, std::min(called.find_first_of("<[({"), called.size()));
  is_function = function == demangled;
}

const std::string& NameKeys::key(NameMatch match) const {
  const std::array<const std::string*, 5> keys{&name, &demangled, &simplified, &without_parameters,
                                               &function};
  return *keys[static_cast<size_t>(match)];
}

}  // namespace kr::ncu
