#include "convert/export.hpp"

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "convert/starter.hpp"
#include "sema/load.hpp"

using namespace kr;

namespace {

std::unique_ptr<sema::LoadedRules> rules(const std::string& text) {
  diag::Sink sink;
  std::vector<sema::SourceFile> files;
  files.push_back({"test.kr", text, true, {}});
  auto loaded = sema::load_rules(std::move(files), sink);
  REQUIRE_FALSE(sink.has_errors());
  return loaded;
}

std::string pattern(const std::string& expression) {
  const auto loaded = rules("engine e { substage { x: " + expression + " } }");
  const sema::Program& program = loaded->program;
  const sema::Table* table =
      program.models.get(program.engines.get({0}).models[0]).table(*program.dimension("substage"));
  std::string why;
  const auto result = convert::to_python(program, program.rules.get(table->rules[0]).expr, why);
  return result ? result->text : "no: " + why;
}

}  // namespace

TEST_CASE("expressions as patterns of re.search") {
  CHECK(pattern(R"("gemm" | ^"a.b" | "c"$)") == R"(gemm|^a\.b|c\Z)");
  CHECK(pattern(R"("Gemm_1"i)") == "(?i:gemm_1)");
  CHECK(pattern("/a(?i:b)/") == "a[Bb]");
  CHECK(pattern("/(?<n>a|b)c{2,}?[^x]./") == R"((?:a|b)c{2,}[^x][\s\S])");
  CHECK(pattern(R"("a" & !"b")") == R"(^(?=[\s\S]*(?:a))(?![\s\S]*(?:b)))");
  CHECK(pattern(R"(!("a" & ("b" | "c")))") ==
        R"(^(?![\s\S]*(?:^(?=[\s\S]*(?:a))(?=[\s\S]*(?:b|c)))))");
  CHECK(pattern(R"("a\"/\\")") == R"(a"/\\)");
  CHECK(pattern(R"(/[\]\-^&|~\[]/)") == R"([\&\-\[\]\^\|\~])");
  CHECK(pattern(R"("\xc3\xa9")") == "\xc3\xa9");
  CHECK(pattern("@memset").find("^Memset ") != std::string::npos);
}

TEST_CASE("what no pattern can say") {
  CHECK(pattern(R"("a" & !within "b")").find("`within`") != std::string::npos);
  CHECK(pattern(R"("\xff")").find("UTF-8") != std::string::npos);
  CHECK(pattern(R"(/a\xc3/)").find("UTF-8") != std::string::npos);
  CHECK(pattern(R"(/[\x80-\x9f]/)").find("characters") != std::string::npos);
  std::string deep = "\"a\"";
  for (int i = 0; i < 100; ++i) deep = "!(\"b\" & " + deep + ")";
  CHECK(pattern(deep).find("deeper") != std::string::npos);
}

TEST_CASE("patterns that grow too long are left out") {
  std::string text = "pattern p0 = \"a\" | \"b\"\n";
  for (int i = 1; i < 40; ++i) {
    text += fmt::format("pattern p{0} = p{1} & p{1} | \"{0}\"\n", i, i - 1);
  }
  const auto loaded = rules(text + "engine e { substage { x: p39  y: \"y\" } }");
  diag::Sink sink;
  const convert::Exported exported = convert::export_tables(loaded->program, "substage", sink);
  CHECK(exported.rules == 1);
  CHECK(exported.left_out == 1);
  REQUIRE(sink.all().size() == 1);
}

TEST_CASE("a table a model, in the order of trial, each pattern once") {
  const auto loaded = rules(R"(
engine e {
  substage { comm: "nccl" misc: otherwise }
  model m { substage { gemm: "gemm" other: "nccl" gemm: "gemm" } }
}
engine empty { })");
  diag::Sink sink;
  const convert::Exported exported = convert::export_tables(loaded->program, "substage", sink);
  CHECK(exported.text == R"({
  "e": {
    "default": {
      "nccl": "comm",
      ".*": "misc"
    },
    "m": {
      "gemm": "gemm",
      "nccl": "other",
      ".*": "misc"
    }
  }
}
)");
  CHECK(sink.all().empty());
  CHECK_THROWS_WITH_AS(convert::export_tables(loaded->program, "substge", sink),
                       "no model of these rules has the dimension `substge`; did you mean "
                       "`substage`?",
                       Error);
}

TEST_CASE("a ruleset to start from takes any name that is one") {
  CHECK(convert::starter_rules("my-engine").find("engine my-engine \"my-engine\"") !=
        std::string::npos);
  CHECK(convert::starter_rules("my-engine").find("ENGINE") == std::string::npos);
  CHECK_THROWS_WITH_AS(convert::starter_rules("a b"),
                       "`a b` cannot be the name of an engine; a name is letters, digits, `_` and "
                       "`-`, beginning with a letter, digit or `_`: try `a_b`",
                       Error);
}
