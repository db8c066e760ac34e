// Compares lint's findings about abbreviations with brute force over short texts.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "lint/lint.hpp"
#include "sema/abbreviate.hpp"
#include "support/rounds.hpp"

using namespace kr;

namespace {

std::string word(std::mt19937& random, uint32_t longest) {
  std::string text;
  for (auto i = 1 + random() % longest; i > 0; --i) text += "abc"[random() % 3];
  return text;
}

std::vector<std::string> short_texts() {
  std::vector<std::string> made{""};
  for (size_t i = 0; i < made.size(); ++i) {
    if (made[i].size() == 7) break;
    for (const char c : {'a', 'b', 'c'}) made.push_back(made[i] + c);
  }
  return made;
}

}  // namespace

TEST_CASE("a useless abbreviation changes no text, and a clash is one") {
  std::mt19937 random(5);
  const std::vector<std::string> texts = short_texts();
  size_t useless = 0;
  size_t clashes = 0;
  // What the first replacement creates is not minded: found in round 3.
  const uint64_t rounds = test::rounds(150, 3);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    std::string text = "engine e { substage { a: otherwise }\n";
    for (auto i = 2 + random() % 3; i > 0; --i) {
      text += fmt::format("  abbreviate \"{}\" as \"{}\"\n", word(random, 3), word(random, 2));
    }
    std::vector<sema::SourceFile> files;
    files.push_back({"test.kr", text + "}\n", true, {}});
    diag::Sink loaded;
    auto loaded_rules = sema::load_rules(std::move(files), loaded);
    REQUIRE(!loaded.has_errors());
    const match::CompiledRules rules =
        lint::compile_for_lint(std::move(loaded_rules), false, std::nullopt, loaded);
    const std::vector<sema::Abbreviation>& all = rules.program().models.get({0}).abbreviations;
    for (const diag::Diagnostic& finding : lint::lint_rules(rules, {}, loaded)) {
      const auto at = std::find_if(all.begin(), all.end(), [&](const sema::Abbreviation& one) {
        return one.span == finding.span;
      });
      if (finding.code == diag::code::useless_abbreviation.info()) {
        ++useless;
        std::vector<sema::Abbreviation> fewer(all.begin(), at);
        fewer.insert(fewer.end(), at + 1, all.end());
        for (const std::string& one : texts) {
          REQUIRE_MESSAGE(sema::abbreviate(one, all) == sema::abbreviate(one, fewer), text, one);
        }
      } else if (finding.code == diag::code::abbreviation_order.info()) {
        ++clashes;
        const auto first = std::find_if(all.begin(), all.end(), [&](const sema::Abbreviation& one) {
          return one.span == finding.related_.front().span;
        });
        std::vector<sema::Abbreviation> turned = all;
        std::swap(turned[static_cast<size_t>(first - all.begin())],
                  turned[static_cast<size_t>(at - all.begin())]);
        CHECK(sema::abbreviate(*finding.witness, all) !=
              sema::abbreviate(*finding.witness, turned));
      }
    }
  }
  CHECK(useless > rounds / 8);
  CHECK(clashes > rounds / 8);
}
