// KR417: texts that are probably meant as regular expressions.
#include <algorithm>
#include <array>

#include "lint/checks.hpp"
#include "regex/byte_set.hpp"
#include "regex/nfa.hpp"

namespace kr::lint {
namespace {

/// Whether regular expressions often contain such a text and names of kernels almost never do.
bool looks_like_regex(std::string_view text) {
  constexpr std::array<std::string_view, 12> signs{".*",    ".+",    "(?:", "[^",  "[0-9", "[a-z",
                                                   "[A-Z]", "[A-Za", "\\d", "\\w", "\\s",  "\\."};
  constexpr size_t longest = 1000;  // people write no longer ones
  if (text.size() < 2 || text.size() > longest) return false;
  if (text.front() == '^' || text.back() == '$') return true;
  if (std::ranges::any_of(signs,
                          [text](std::string_view sign) { return text.find(sign) != text.npos; })) {
    return true;
  }
  const auto is_word = [text](size_t at) {
    return regex::is_word(static_cast<unsigned char>(text[at]));
  };
  for (size_t at = text.find('|'); at != text.npos; at = text.find('|', at + 1)) {
    if (at > 0 && at + 1 < text.size() && is_word(at - 1) && is_word(at + 1)) return true;
  }
  return false;
}

/// The text between slashes; empty if that is not a valid expression.
std::string as_regex(const syntax::Expr& written) {
  std::string pattern;
  for (const char c : written.text) {
    if (c == '/') pattern += '\\';
    pattern += c;
  }
  diag::Sink sink;
  const bool good = regex::parse(pattern, written.span, {}, sink).has_value() && !sink.has_errors();
  if (!good || written.at_begin || written.at_end) return {};
  return "/" + pattern + "/" + (written.ignore_case ? "i" : "");
}

}  // namespace

void check_regex_texts(const Context& context, diag::Sink& sink) {
  for (const WrittenAtom& atom : context.atoms) {
    const syntax::Expr& written = *atom.expr;
    if (written.kind != syntax::ExprKind::text || !looks_like_regex(written.text)) continue;
    const regex::Nfa automaton(atom.regex);
    // A test with such a name shows that the text is intended.
    const auto holds = [&](const sema::Test& test) {
      return automaton.search(test.name) ||
             std::ranges::any_of(test.within,
                                 [&](const std::string& name) { return automaton.search(name); });
    };
    const auto& tests = context.program().tests;
    if (std::ranges::any_of(tests, holds)) continue;
    diag::Diagnostic& added = sink.add(diag::code::text_looks_like_regex, written.span,
                                       context.sources().text(written.span));
    const std::string pattern = as_regex(written);
    if (pattern.empty()) {
      added.help(
          "write a regular expression between slashes: `/…/`; if the text is intended, write a "
          "test "
          "with a name that contains it");
      continue;
    }
    added.help(
        "write a regular expression between slashes: `{}`; if the text is intended, write a test "
        "with a name that contains it",
        pattern);
    added.fix = diag::Fix{false, {{written.span, pattern}}};
  }
}

}  // namespace kr::lint
