#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/rules.hpp"
#include "testing/testing.hpp"

using namespace kr;

namespace {

/// The outcomes as lines: `vllm/llama: relu ok`, `vllm/llama: relu substage gemm, got misc (line
/// 3)`.
std::vector<std::string> told(const match::CompiledRules& rules) {
  std::vector<std::string> lines;
  const sema::Program& program = rules.program();
  for (const testing::TestOutcome& outcome : testing::run_tests(rules)) {
    const sema::Test& test = program.tests[outcome.test];
    const std::string head = fmt::format("{}: {}", program.title(outcome.model), test.name);
    if (outcome.passed()) lines.push_back(head + " ok");
    for (const testing::TestOutcome::Miss& miss : outcome.misses) {
      const std::string line =
          miss.rule ? fmt::format("line {}",
                                  rules.sources().begin(program.rules.get(*miss.rule).span).line)
                    : "no rule";
      lines.push_back(fmt::format("{} {} {}, got {} ({})", head, miss.dimension, miss.expected,
                                  miss.actual, line));
    }
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a test of an engine applies to every model, a test of a model only to it") {
  CHECK(told(test::compile(R"(
engine e {
  substage { misc: otherwise }
  model a { substage { gemm: "gemm" } }
  model b { }
}
test e { "gemm" => substage gemm }
test e/a { "gemm" => substage gemm }
)")) == Lines{"e/default: gemm substage gemm, got misc (line 3)", "e/a: gemm ok",
              "e/b: gemm substage gemm, got misc (line 3)", "e/a: gemm ok"});
}

TEST_CASE("the kind is that of the test, or else the one that the name implies") {
  CHECK(told(test::compile(R"(
engine e { substage { copy: @memcpy set: @memset misc: otherwise } }
test e {
  "[CUDA memcpy HtoD]" => substage copy
  @memset "[CUDA memcpy HtoD]" => substage set
  @memcpy "relu" => substage copy, kind memory
  "relu" => substage copy, kind compute
}
)")) == Lines{"e/default: [CUDA memcpy HtoD] ok", "e/default: [CUDA memcpy HtoD] ok",
              "e/default: relu ok", "e/default: relu substage copy, got misc (line 2)"});
}

TEST_CASE("context names are matched one by one, and without `within` there are none") {
  CHECK(told(test::compile(R"(
engine e { substage { mla: within ("MLA" & "layers") misc: otherwise } }
test e {
  "k" within "model.layers.0", "MLA.layers.1" => substage mla
  "k" within "model.layers.0", "MLA" => substage mla
  "MLA layers" => substage misc
}
)")) == Lines{"e/default: k ok", "e/default: k substage mla, got misc (line 2)",
              "e/default: MLA layers ok"});
}

TEST_CASE("unclassified may be expected, and a kept name too") {
  CHECK(told(test::compile(R"(
engine e {
  stage { layer: "x" }
  substage { gemm: "gemm" otherwise keep }
}
test e {
  "y" => stage unclassified, substage "y"
  "y" => stage layer, substage gemm
}
)")) == Lines{"e/default: y ok", "e/default: y stage layer, got unclassified (no rule)",
              "e/default: y substage gemm, got y (line 4)"});
}

TEST_CASE("a dimension that a model lacks is unclassified, and not tested for `default`") {
  CHECK(told(test::compile(R"(
engine e {
  model a { stage { layer: otherwise } }
  model b { }
}
test e { "k" => stage layer }
test e { "k" => stage layer, kind compute }
)")) == Lines{"e/a: k ok", "e/b: k stage layer, got unclassified (no rule)", "e/default: k ok",
              "e/a: k ok", "e/b: k stage layer, got unclassified (no rule)"});
}

TEST_CASE("models that fail in the same way share a diagnostic, sorted by place") {
  const match::CompiledRules rules = test::compile(R"(
engine e {
  substage { misc: otherwise }
  model a { } model b { } model c { } model d { } model f { }
  model g { substage { gemm: "gemm" } }
}
test e { "gemm" => substage attn, kind memory }
engine attn { substage { attn: "attn" } }
test attn { "x" => substage attn }
engine open { substage { attn: "attn" otherwise keep } }
labels substage { attn gemm misc }
)");
  diag::Sink sink;
  testing::report_failures(rules, testing::run_tests(rules), sink);
  const auto all = sink.all();
  REQUIRE(all.size() == 4);
  CHECK(all[0].message ==
        "expected substage `attn`, got `misc`, in e/default, e/a, e/b, e/c and 2 others");
  CHECK(all[0].code->id == "KR316");
  CHECK(rules.sources().text(all[0].span) == "substage attn");
  CHECK(all[0].witness == "gemm");
  REQUIRE(all[0].related_.size() == 1);
  CHECK(rules.sources().text(all[0].related_[0].span) == "misc: otherwise");
  CHECK(all[1].message.find("expected kind `memory`, got `compute`, in e/default, e/a") == 0);
  CHECK(all[2].message == "expected substage `attn`, got `gemm`, in e/g");
  CHECK(all[3].message == "expected substage `attn`, got `unclassified`, in attn/default");
  CHECK(all[3].related_.empty());
  CHECK(all[3].help_.find("no `otherwise`") != std::string::npos);
}

TEST_CASE("tests of order rules") {
  const std::string rules = R"(
engine e {
  substage { norm: "norm" gemm: "gemm" attn: "attn" misc: otherwise }
  part over substage {
    ignore misc
    continue "split"
    qkv: norm > [gemm] > attn
    o: attn > [gemm]
    otherwise keep
  }
  last over part { last: o > [_] > end }
}
test e {
  "norm" => part norm > "gemm" => part qkv > "x" > "attn" > "gemm" => part o > "split" => part o, last last
  "gemm" => part gemm
  "attn" > "gemm" => part qkv
}
)";
  CHECK(told(test::compile(rules)) == Lines{"e/default: norm ok", "e/default: gemm ok",
                                            "e/default: attn part qkv, got o (line 8)"});
}
