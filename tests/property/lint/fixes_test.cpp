// Compares safe fixes with brute force: by its own automaton, the pattern matches the same short
// names before and after.
#include <doctest/doctest.h>

#include <random>

#include "lint/fix.hpp"
#include "regex/nfa.hpp"
#include "support/rounds.hpp"

using namespace kr;

namespace {

/// All texts over `ab-` of up to five bytes.
const std::vector<std::string>& names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> made{""};
    for (size_t i = 0; i < made.size(); ++i) {
      if (made[i].size() == 5) break;
      for (const char c : {'a', 'B', '-'}) made.push_back(made[i] + c);
    }
    return made;
  }();
  return all;
}

/// The names that a pattern of atoms joined by `|` matches.
std::vector<bool> held(const match::CompiledRules& rules) {
  const sema::Program& program = rules.program();
  const sema::Expr& top = program.exprs.get(program.patterns.front().expr);
  std::vector<bool> all(names().size());
  const auto add = [&](const sema::Expr& expr) {
    REQUIRE(expr.op == sema::ExprOp::atom);
    const regex::Nfa nfa(program.atoms.get(expr.atom).regex);
    for (size_t i = 0; i < all.size(); ++i) all[i] = all[i] || nfa.search(names()[i]);
  };
  if (top.op == sema::ExprOp::atom) {
    add(top);
  } else {
    REQUIRE(top.op == sema::ExprOp::disjunction);
    for (const sema::ExprId operand : top.operands) add(program.exprs.get(operand));
  }
  return all;
}

class Texts {
 public:
  explicit Texts(uint32_t seed) : random_(seed) {}

  std::string pattern() {
    std::string text = "pattern p = " + atom();
    for (uint32_t i = below(4); i > 0; --i) text += " | " + atom();
    return text + "  # kept\n";
  }

 private:
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  const char* one_of(std::initializer_list<const char*> all) {
    return all.begin()[below(static_cast<uint32_t>(all.size()))];
  }
  std::string atom() {
    if (below(3) == 0) {
      return std::string(one_of({"", "", "^"})) + '"' +
             one_of({"a", "A", "aB", "ab", "Ab", "AB", "-"}) + '"' + one_of({"", "", "i", "$"});
    }
    std::string text = one_of({"", "", "^", ".*", "^.*", "[^b]*", ".?", "(.*)", "\\b"});
    for (uint32_t i = 1 + below(3); i > 0; --i) {
      text += one_of({"a", "b", "B", "-", "\\-", "[aB]", "a+", "b?", "(a|-)", "."});
    }
    return '/' + text + one_of({"", "", "$", ".*", ".*$", ".?", "\\b"}) + '/' + one_of({"", "i"});
  }
  std::mt19937 random_;
};

match::CompiledRules rules_of(const std::string& text, diag::Sink& loaded) {
  std::vector<sema::SourceFile> files;
  files.push_back({"test.kr", text, true, {}});
  auto rules = sema::load_rules(std::move(files), loaded);
  REQUIRE_MESSAGE(!loaded.has_errors(), text);
  return lint::compile_for_lint(std::move(rules), false, std::nullopt, loaded);
}

}  // namespace

TEST_CASE("safe fixes keep the matches of a pattern") {
  lint::LintFilesOptions options;
  options.lint.infos = false;  // then no database is compiled
  Texts texts(17);
  size_t fixes = 0;
  // The anchor at the begin of a text is lost: found in round 32.
  const uint64_t rounds = test::rounds(400, 32);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const std::string text = texts.pattern();
    diag::Sink loaded;
    match::CompiledRules rules = rules_of(text, loaded);
    const std::vector<bool> before = held(rules);
    std::vector<diag::Diagnostic> findings = lint::lint_rules(rules, {}, loaded);
    const lint::FixResult result = lint::fix(rules, findings, options);
    fixes += result.count;
    const std::string after(rules.sources().text(source::FileId{0}));
    CHECK_MESSAGE(result.notes.empty(), text);
    CHECK_MESSAGE(held(rules) == before, text, after);
    CHECK_MESSAGE(after.ends_with("  # kept\n"), text, after);
    // Nothing is left to fix, and fixing again changes nothing.
    CHECK_MESSAGE(lint::fix(rules, findings, options).count == 0, text, after);
  }
  CHECK(fixes > rounds / 2);
}
