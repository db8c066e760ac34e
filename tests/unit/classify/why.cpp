#include "classify/why.hpp"

#include <doctest/doctest.h>

#include "support/rules.hpp"

using kr::test::compile;

namespace {

const char* const text = R"(
engine e {
  model m {
    substage {
      copies: @memcpy
      mla:    "attn" & within "MLA"
      attn:   "flash" | "attn"
      flash:  "flash"
      rest:   otherwise
    }
  }
}
)";

kr::classify::WhyDimension substage(const kr::classify::WhyQuery& query) {
  static const kr::match::CompiledRules rules = compile(text);
  const auto engine = rules.program().engine("e");
  const auto model = rules.program().model(*engine, "m");
  for (const auto& dimension : kr::classify::why(rules, *model, query)) {
    if (rules.program().dimensions.get(dimension.dimension).name == "substage") return dimension;
  }
  FAIL("no substage");
  return {};
}

}  // namespace

TEST_CASE("why shows the rule, the bytes that it matches, and other rules that match") {
  const auto dimension =
      substage({.name = "flash_attn_flash", .kind = kr::OperationKind::kernel, .within = {{}}});
  REQUIRE(dimension.outcomes.size() == 1);
  const kr::classify::WhyOutcome& outcome = dimension.outcomes[0];
  CHECK(outcome.label == "attn");
  CHECK(outcome.conditions.empty());
  CHECK(outcome.spans == std::vector<std::pair<size_t, size_t>>{{0, 5}, {6, 10}, {11, 16}});
  REQUIRE(outcome.also.size() == 1);
  CHECK(outcome.also[0].label == "flash");
}

TEST_CASE("why shows the order rules in whose brackets a name can stand") {
  const kr::match::CompiledRules rules = compile(R"(
engine e {
  substage { norm: "norm" gemm: "gemm" split: "split" rest: otherwise }
  part over substage {
    ignore rest & !"y"
    continue "split"
    router: "router_gemm"
    maybe:  within "MLP" & gemm
    other:  [norm] > gemm
    qkv:    norm > [gemm+] > norm?
    any:    [rest] > _
    otherwise keep
  }
}
)");
  const auto model = rules.program().model(*rules.program().engine("e"), "default");
  const auto part = [&](std::string name) {
    return kr::classify::why(
               rules, *model,
               {.name = std::move(name), .kind = kr::OperationKind::kernel, .within = {}})
        .back();
  };
  const auto labels = [](const kr::classify::WhyDimension& dimension) {
    std::vector<std::string> labels;
    for (const auto& outcome : dimension.outcomes) labels.push_back(outcome.label);
    return labels;
  };
  const auto gemm = part("a_gemm");
  CHECK(labels(gemm) == std::vector<std::string>{"maybe", "qkv", "gemm"});
  CHECK(gemm.chains == 1);
  CHECK_FALSE(gemm.continues);
  // Nothing comes after what is certain by name.
  const auto router = part("router_gemm");
  CHECK(labels(router) == std::vector<std::string>{"router"});
  CHECK(router.chains == 0);
  CHECK(router.outcomes[0].spans == std::vector<std::pair<size_t, size_t>>{{0, 11}});
  // Chains see neither what is ignored nor what is continued.
  CHECK(labels(part("x")) == std::vector<std::string>{"rest"});
  CHECK(labels(part("y")) == std::vector<std::string>{"any", "rest"});
  const auto split = part("split_y");
  CHECK(labels(split) == std::vector<std::string>{"split"});
  CHECK(split.continues);
}

TEST_CASE("why lists each outcome if kind or context are unknown") {
  const auto open = substage({.name = "attn", .kind = {}, .within = {}});
  std::vector<std::string> labels;
  for (const auto& outcome : open.outcomes) labels.push_back(outcome.label);
  CHECK(labels == std::vector<std::string>{"attn", "copies", "mla"});
  CHECK_FALSE(open.outcomes[1].conditions.empty());
  CHECK_FALSE(open.outcomes[2].conditions.empty());

  const auto inside =
      substage({.name = "attn", .kind = kr::OperationKind::kernel, .within = {{"model", "MLA_3"}}});
  REQUIRE(inside.outcomes.size() == 1);
  CHECK(inside.outcomes[0].label == "mla");
  const auto copy = substage({.name = "attn", .kind = kr::OperationKind::memcpy, .within = {{}}});
  REQUIRE(copy.outcomes.size() == 1);
  CHECK(copy.outcomes[0].label == "copies");
}
