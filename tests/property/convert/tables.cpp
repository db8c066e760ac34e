// Random tables: the imported rules, the exported table, and a backtracker over the JSON agree.
#include <doctest/doctest.h>

#include <random>

#include "base/json.hpp"
#include "convert/export.hpp"
#include "convert/from_python.hpp"
#include "convert/import.hpp"
#include "regex/nfa.hpp"
#include "sema/load.hpp"
#include "support/rounds.hpp"

using namespace kr;

namespace {

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  size_t below(size_t bound) { return random_() % bound; }

  std::string pattern(int depth) {
    switch (below(depth > 2 ? 5 : 11)) {
      case 0:
      case 1:
        return one({"a", "b", "ab", "B", "ba"});
      case 2:
        return one({".", "[ab]", "[^a]", "\\.", "\\w", "/"});
      case 3:
        return one({".*", "a*", "b+", "a?", "b{,2}", "(?i:A)"});
      case 4:
        return one({"^", "$", "\\Z", "\\b", "(?P<x>a)"});
      case 5:
      case 6:
        return "(" + pattern(depth + 1) + ")";
      case 7:
        return "(?:" + pattern(depth + 1) + ")" + one({"", "?", "+", "*", "{2}"});
      case 8:
        return pattern(depth + 1) + "|" + pattern(depth + 1);
      default:
        return pattern(depth + 1) + pattern(depth + 1);
    }
  }

 private:
  std::string one(std::initializer_list<const char*> choices) {
    return *(choices.begin() + below(choices.size()));
  }
  std::mt19937 random_;
};

std::vector<std::string> short_names() {
  std::vector<std::string> names{""};
  const std::string letters = "abB./";
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].size() == 4) break;
    for (const char c : letters) names.push_back(names[i] + c);
  }
  return names;
}

/// Whether the pattern matches; nullopt if it is not in the dialect.
std::optional<bool> searched(const std::string& pattern, const std::string& name) {
  const convert::PortedPattern ported = convert::from_python(pattern);
  source::SourceMap sources;
  diag::Sink sink;
  const source::FileId file = sources.add("p", ported.text);
  const auto regex = regex::parse(ported.text, {file, 0, static_cast<uint32_t>(ported.text.size())},
                                  {.ignore_case = ported.ignore_case}, sink);
  if (!regex) return std::nullopt;
  return regex::Nfa(*regex).search(name);
}

bool holds(const sema::Program& program, sema::ExprId id, const std::string& name) {
  const sema::Expr& expr = program.exprs.get(id);
  if (expr.op == sema::ExprOp::atom) {
    return regex::Nfa(program.atoms.get(expr.atom).regex).search(name);
  }
  REQUIRE(expr.op == sema::ExprOp::disjunction);
  return std::any_of(expr.operands.begin(), expr.operands.end(),
                     [&](sema::ExprId operand) { return holds(program, operand, name); });
}

std::string label(const sema::Program& program, const sema::Table& table, const std::string& name) {
  for (const sema::RuleId id : table.rules) {
    const sema::Rule& rule = program.rules.get(id);
    if (holds(program, rule.expr, name)) return rule.label;
  }
  return table.otherwise ? program.rules.get(*table.otherwise).label : "unclassified";
}

}  // namespace

TEST_CASE("imported rules label every short name as the patterns do") {
  constexpr unsigned seed = 20240301;
  Random random(seed);
  const std::vector<std::string> names = short_names();
  size_t imported = 0;
  // Patterns of different labels in a row become one rule: found in round 1.
  const uint64_t rounds = test::rounds(150, 1);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    std::vector<std::vector<std::pair<std::string, std::string>>> models(2);
    std::string json = "{\"e\": {";
    for (size_t m = 0; m < models.size(); ++m) {
      json += fmt::format("{}\"m{}\": {{", m > 0 ? ", " : "", m);
      for (size_t count = 1 + random.below(4); count > 0; --count) {
        const std::string pattern = random.pattern(0);
        const bool known = std::any_of(models[m].begin(), models[m].end(),
                                       [&](const auto& rule) { return rule.first == pattern; });
        if (known || !searched(pattern, "")) continue;
        models[m].emplace_back(pattern, std::string(1, static_cast<char>('x' + random.below(3))));
      }
      if (random.below(2) == 0) models[m].emplace_back("(.*)", "z");
      for (size_t i = 0; i < models[m].size(); ++i) {
        json += fmt::format("{}{}: \"{}\"", i > 0 ? ", " : "", json_string(models[m][i].first),
                            models[m][i].second);
      }
      json += "}";
    }
    json += "}}";
    if (models[0].empty() && models[1].empty()) continue;
    CAPTURE(json);
    source::SourceMap sources;
    diag::Sink sink;
    const convert::Imported result =
        convert::import_tables(sources, sources.add("t.json", json), {}, sink);
    CHECK(result.proven);
    CHECK(result.left_out == 0);
    diag::Sink errors;
    std::vector<sema::SourceFile> files;
    files.push_back({"t.kr", result.text, true, {}});
    const auto rules = sema::load_rules(std::move(files), errors);
    REQUIRE_FALSE(errors.has_errors());
    const sema::Program& program = rules->program;
    for (size_t m = 0; m < models.size(); ++m) {
      const auto model = program.model({0}, fmt::format("m{}", m));
      REQUIRE(model.has_value());
      const sema::Table* table = program.models.get(*model).table(*program.dimension("substage"));
      if (table == nullptr) {
        CHECK(models[m].empty());
        continue;
      }
      for (const std::string& name : names) {
        std::string expected = "unclassified";
        for (const auto& [pattern, given] : models[m]) {
          if (!*searched(pattern, name)) continue;
          expected = given;
          break;
        }
        const std::string got = label(program, *table, name);
        if (got != expected) CAPTURE(result.text);
        REQUIRE_MESSAGE(got == expected, name);
      }
      ++imported;
    }
  }
  CHECK(imported > rounds);
}
