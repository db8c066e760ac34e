// KR321, KR409, KR417: texts and regular expressions that mean something else than they seem to.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "base/nearest.hpp"
#include "lint/checks.hpp"
#include "regex/byte_set.hpp"
#include "regex/nfa.hpp"
#include "sema/phase_number.hpp"

namespace kr::lint {
namespace {

// KR409: constructs whose meaning changes on export, to Python's `re` on text (not bytes) and its
// older versions.

/// The letters of the escapes of a regular expression, without duplicates, in the order written.
std::string escapes_of(std::string_view pattern) {
  std::string letters;
  for (size_t at = 0; at + 1 < pattern.size(); ++at) {
    if (pattern[at] != '\\') continue;
    ++at;
    if (letters.find(pattern[at]) == letters.npos) letters += pattern[at];
  }
  return letters;
}

bool contains_high_byte(const regex::Regex& regex) {
  // A negated class contains all of them, but is not about them.
  return std::ranges::any_of(regex.nodes, [](const regex::Node& node) {
    return node.kind == regex::NodeKind::bytes && (node.set >> 128).any() && node.set.count() < 64;
  });
}

// KR321: named groups of phases that are not a number of a phase.

/// The expressions with named groups from which phases read numbers, in the syntax of RE2.
std::set<std::string> expressions_of_phases(const sema::Program& program) {
  std::set<std::string> found;
  std::vector<sema::ExprId> all;
  for (const sema::Model& model : program.models) {
    for (const sema::RuleId rule : model.phases) all.push_back(program.rules.get(rule).expr);
  }
  sema::each_part(program, std::move(all), [&](const sema::Expr& expr) {
    if (expr.op == sema::ExprOp::atom) {
      const regex::Regex& regex = program.atoms.get(expr.atom).regex;
      if (!regex::group_names(regex).empty()) found.insert(regex::to_re2(regex));
    }
    return expr.op != sema::ExprOp::negation;  // negated expressions give no numbers
  });
  return found;
}

// KR329: named groups where nothing reads them.

void check_groups_of_rules(const Context& context, const std::set<std::string>& of_phases,
                           diag::Sink& sink) {
  const sema::Program& program = context.program();
  std::vector<sema::ExprId> all;
  for (const sema::Rule& rule : program.rules) {
    if (rule.dimension.valid() && rule.expr.valid()) all.push_back(rule.expr);
  }
  std::set<std::string> of_rules;
  sema::each_part(program, std::move(all), [&](const sema::Expr& expr) {
    if (expr.op == sema::ExprOp::atom) {
      const regex::Regex& regex = program.atoms.get(expr.atom).regex;
      if (!regex::group_names(regex).empty()) of_rules.insert(regex::to_re2(regex));
    }
    return true;
  });
  for (const WrittenAtom& atom : context.atoms) {
    if (!atom.has_group_text()) continue;
    const auto regex = atom.regex();
    if (!regex || regex::group_names(*regex).empty()) continue;
    const std::string text = regex::to_re2(*regex);
    if (!of_rules.contains(text) || of_phases.contains(text)) continue;
    for (const regex::Node& node : regex->nodes) {
      if (node.kind != regex::NodeKind::group) continue;
      const source::Span whole = node.span;
      const auto head = static_cast<uint32_t>(std::string_view("(?<>").size() + node.name.size());
      diag::Diagnostic& added = sink.add(diag::code::unused_group, whole, node.name);
      added.help("write `(…)`; for numbers of steps, put the expression into `phases {{ … }}`");
      added.fix = diag::Fix{true, {{{whole.file, whole.begin, whole.begin + head}, "("}}};
    }
  }
}

// KR417: texts that are probably meant as regular expressions.

/// The name of a type, or its end: a pointer to it is part of many names (`float*`).
bool is_type_name(std::string_view word) {
  constexpr std::string_view parts[] = {"float", "double", "half",  "int",    "char",  "void",
                                        "bool",  "long",   "short", "signed", "const", "complex",
                                        "fp8",   "fp16",   "bf16",  "byte",   "auto"};
  return word.ends_with("_t") || std::ranges::any_of(parts, [word](std::string_view part) {
           return word.find(part) != word.npos;
         });
}

bool is_word_at(std::string_view text, size_t at) {
  return at < text.size() && regex::is_word(static_cast<unsigned char>(text[at]));
}

/// `gemm*`: nothing but small letters, digits and `_` before the star, and no type.
bool is_started_name(std::string_view text) {
  if (text.size() < 3 || text.back() != '*') return false;
  text.remove_suffix(1);
  const bool plain = std::ranges::all_of(
      text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
  return plain && !is_type_name(text);
}

/// `*gemm*`, `gemm_*`, `a*b`, `a?b`: names contain no such signs, except a star after the type that
/// a pointer points to.
bool is_glob(std::string_view text) {
  if (text.size() < 2) return false;
  if (text.front() == '*' || text.ends_with("_*") || is_started_name(text)) return true;
  if (text.find_first_of("|[\\^$") != text.npos) return false;
  for (size_t at = text.find_first_of("*?", 1); at < text.size();
       at = text.find_first_of("*?", at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    if (rest.starts_with("const") || rest.starts_with("restrict") || rest.starts_with("__"))
      continue;
    if (is_word_at(text, at - 1) && is_word_at(text, at + 1)) return true;
  }
  return false;
}

/// What a glob means: a text if its stars are only around it, or else a regular expression.
std::string as_pattern(const syntax::Expr& written) {
  std::string_view text = written.text;
  while (text.starts_with('*')) text.remove_prefix(1);
  while (text.ends_with('*')) text.remove_suffix(1);
  if (text.empty()) return {};
  if (text.find_first_of("*?") == text.npos) {
    return written_text(text, written.ignore_case, written.at_begin, written.at_end);
  }
  std::string pattern;
  for (const char c : text) {
    if (c == '*') {
      pattern += ".*";
    } else if (c == '?') {
      pattern += '.';
    } else {
      if (std::string_view("\\/.+()[]{}|^$").find(c) != std::string_view::npos) pattern += '\\';
      pattern += c;
    }
  }
  return fmt::format("/{}{}{}/{}", written.at_begin ? "^" : "", pattern, written.at_end ? "$" : "",
                     written.ignore_case ? "i" : "");
}

/// Whether regular expressions often contain such a text and names of kernels almost never do.
bool looks_like_regex(std::string_view text) {
  constexpr std::array<std::string_view, 12> signs{".*",    ".+",    "(?:", "[^",  "[0-9", "[a-z",
                                                   "[A-Z]", "[A-Za", "\\d", "\\w", "\\s",  "\\."};
  constexpr size_t longest = 1000;  // people write no longer ones
  if (text.size() < 2 || text.size() > longest) return false;
  if (text.front() == '^' || text.back() == '$' || is_glob(text)) return true;
  if (text.size() > 2 && text.front() == '/' && text.back() == '/') return true;
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
  std::string_view text = written.text;
  if (text.size() > 2 && text.front() == '/' && text.back() == '/') {
    text = text.substr(1, text.size() - 2);
  }
  std::string pattern;
  for (const char c : text) {
    if (c == '/') pattern += '\\';
    pattern += c;
  }
  diag::Sink sink;
  const bool good = regex::parse(pattern, written.span, {}, sink).has_value() && !sink.has_errors();
  if (!good || written.at_begin || written.at_end) return {};
  return "/" + pattern + "/" + (written.ignore_case ? "i" : "");
}

}  // namespace

void check_dialects(const Context& context, diag::Sink& sink) {
  for (const WrittenAtom& atom : context.atoms) {
    const std::string_view text = context.sources().text(atom.expr->span);
    const auto regex = atom.regex();
    if (!regex) continue;
    if (contains_high_byte(*regex)) {
      sink.add(diag::code::dialect_difference, atom.expr->span, text,
               "an `re` for text reads its bytes from 0x80 as characters");
    }
    if (!atom.is_regex()) continue;
    const std::string escapes = escapes_of(atom.expr->text);
    const bool in_empty_name = (regex::empty_places(*regex) & regex::places_of("")) != 0;
    if (escapes.find('B') != escapes.npos && in_empty_name) {
      sink.add(diag::code::dialect_difference, atom.expr->span, text,
               "`\\B` matches the empty name, but not in Python before 3.14");
    }
    std::string classes;
    for (const char letter : escapes) {
      if (std::string_view("wWdDsSb").find(letter) == std::string_view::npos) continue;
      classes += fmt::format("{}`\\{}`", classes.empty() ? "" : ", ", letter);
    }
    if (!classes.empty()) {
      sink.add(diag::code::dialect_difference, atom.expr->span, text,
               fmt::format("{} are ASCII here, but Unicode in an `re` for text", classes));
    }
  }
}

void check_phase_numbers(const Context& context, diag::Sink& sink) {
  const std::set<std::string> of_phases = expressions_of_phases(context.program());
  check_groups_of_rules(context, of_phases, sink);
  if (of_phases.empty()) return;
  std::set<std::string_view> of_costs(sema::cost_number_names.begin(),
                                      sema::cost_number_names.end());
  for (const sema::CostClause& clause : context.program().costs) {
    for (const sema::CostFormula& formula : clause.formulas) {
      if (formula.op == sema::CostFormula::Op::phase) of_costs.insert(formula.name);
    }
  }
  for (const WrittenAtom& atom : context.atoms) {
    if (!atom.has_group_text()) continue;
    const auto regex = atom.regex();
    if (!regex || regex::group_names(*regex).empty()) continue;
    if (!of_phases.contains(regex::to_re2(*regex))) continue;
    for (const regex::Node& node : regex->nodes) {
      if (node.kind != regex::NodeKind::group || sema::phase_number(node.name)) continue;
      if (of_costs.contains(node.name)) continue;
      diag::Diagnostic& added = sink.add(diag::code::unknown_phase_number, node.span, node.name);
      if (const auto meant = nearest(node.name, sema::phase_number_names)) {
        added.help("did you mean `{}`?", *meant);
      } else {
        added.help(
            "groups are `step`, `layer`, `batch`, `tokens`, and parts that add up, such as "
            "`tokens_new`; `(…)` without a name captures nothing");
      }
    }
  }
}

void check_regex_texts(const Context& context, diag::Sink& sink) {
  for (const WrittenAtom& atom : context.atoms) {
    const syntax::Expr& written = *atom.expr;
    if (written.kind != syntax::ExprKind::text || !looks_like_regex(written.text)) continue;
    const regex::Nfa automaton(*atom.regex());
    // A test with such a name shows that the text is intended.
    const auto matches_text = [&](const sema::Test& test) {
      return automaton.search(test.name) ||
             std::ranges::any_of(test.within,
                                 [&](const std::string& name) { return automaton.search(name); });
    };
    const auto& tests = context.program().tests;
    if (std::ranges::any_of(tests, matches_text)) continue;
    diag::Diagnostic& added = sink.add(diag::code::text_looks_like_regex, written.span,
                                       context.sources().text(written.span));
    if (is_glob(written.text)) {
      const std::string meant = as_pattern(written);
      if (!meant.empty()) {
        added.message =
            fmt::format("`{}` looks like a glob, but is a text: `{}` matches only itself",
                        context.sources().text(written.span),
                        written.text.find('*') == std::string::npos ? '?' : '*');
        added.help("a text matches anywhere in a name: write `{}`{}", meant,
                   meant.starts_with('/') ? "; a regular expression is between slashes" : "");
        added.fix = diag::Fix{false, {{written.span, meant}}};
        continue;
      }
    }
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
